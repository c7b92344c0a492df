"""What must stay: of a text while it is shortened (`text`), of a history while it is compacted (the rest)."""
