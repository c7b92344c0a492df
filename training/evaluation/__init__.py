"""How good a scorer is, by itself and against what it has to beat."""
