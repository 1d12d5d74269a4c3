"""`auto`: a mixture of experts over kernels and scales that needs no tuning."""
