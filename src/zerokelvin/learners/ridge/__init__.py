"""Online ridge regression in coordinates and on kernels, with its bounds, for the second-order learners."""
