"""Rewrite a history so that it is shorter: what may go, what stands in its place, what that costs."""
