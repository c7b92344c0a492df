"""Everything that decides what an agent's context can do without."""
