"""Where items come from: one file per kind of input."""
