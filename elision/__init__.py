"""Elision leaves out what an agent's context can do without, and can prove what it kept."""
