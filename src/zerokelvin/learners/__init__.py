"""The learners, one file each, their bounds beside them."""
