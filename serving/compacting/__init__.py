"""Compaction at the edge: requests over HTTP, sessions, and the same from the command line."""
