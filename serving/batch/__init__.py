"""Batch: folders of logs and records, shortened by several processes, and resumed after any kill."""
