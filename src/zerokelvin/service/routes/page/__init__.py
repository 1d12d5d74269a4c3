"""Routes of the labelling page."""
