"""Names, classes, asking and answering, saving: the game and the session."""
