"""What a run did: figures that are checked, and a page to look at them."""
