"""From a base checkpoint to a bundle, and from a bundle back to weights."""
