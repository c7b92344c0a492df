"""The edges: command line, HTTP service, settings."""
