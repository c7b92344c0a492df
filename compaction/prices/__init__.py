"""What a plan costs: prices of models, the bills of an edit, and whether it is worth them."""
