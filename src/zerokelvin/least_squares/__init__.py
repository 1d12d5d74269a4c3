"""Online least squares: factorisations and inverses that grow with the trials."""
