"""A session as a log that only grows, and what an agent sees of it, which is a function of the log."""
