"""The calls an agent makes: what kind a tool is of, and what a command line is made of."""
