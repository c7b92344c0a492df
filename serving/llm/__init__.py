"""Those who write summaries, behind HTTP: every answer of theirs is a reply or a failure with a name."""
