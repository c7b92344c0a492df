"""One file per command: read the flags, call a room, write the answer."""
