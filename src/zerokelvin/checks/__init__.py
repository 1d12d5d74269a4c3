"""The contract every learner keeps, shipped so that others can run it."""
