"""Sweeps that ask what holds on every text, request and log, and what rivals make of them."""
