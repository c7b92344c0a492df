"""What a run keeps under OUT: parts, journal, outputs put together; whole or not there."""
