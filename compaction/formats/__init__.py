"""Wire formats: provider JSON in, one `Conversation` out; one format a file."""
