"""What a log is: records, envelopes, times, levels, and what is asked of it."""
