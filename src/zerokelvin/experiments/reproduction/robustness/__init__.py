"""Label noise, drift and delay: what they do to the learners."""
