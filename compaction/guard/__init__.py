"""What must not be broken: where text may be cut, one file per kind of structure."""
