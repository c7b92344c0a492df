"""Text in, keep values out: tokeniser, windows, runners and the bundle they come from."""
