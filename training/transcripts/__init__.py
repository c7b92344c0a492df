"""Recorded agent sessions: read from the formats they come in, and cut into tool outputs."""
