"""Files into portions: which there are, what they hold, how they are unpacked and cut."""
