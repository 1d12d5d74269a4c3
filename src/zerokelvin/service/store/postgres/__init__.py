"""The store in PostgreSQL, which several instances of the service may share."""
