"""How known agents compact, one file each, and ours. A policy is data: nothing in here runs."""
