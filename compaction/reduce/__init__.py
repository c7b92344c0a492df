"""Reducers that need no model: what a limit leaves no choice about."""
