"""A log as it comes: cut into windows by size and time, shortened one after the other, written at once."""
