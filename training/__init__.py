"""From labels to a bundle. The only room that imports torch."""
