"""Who runs the stages: processes of this machine, or a Ray cluster. What comes out is the same."""
