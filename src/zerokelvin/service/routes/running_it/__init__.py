"""Routes for those who run the service: is it alive, its figures, keys, cookies, who did what."""
