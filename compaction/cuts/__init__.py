"""Where a history may be cut, and what must hold of every list of messages: one rule a file."""
