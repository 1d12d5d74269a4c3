"""What a project's log holds, how requests become events, and how events are told to a session."""
