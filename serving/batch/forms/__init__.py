"""How each form is shortened: logs, JSON of three kinds, tables."""
