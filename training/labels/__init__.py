"""What text is worth: judged labels, hindsight and an LLM teacher, in one form."""
