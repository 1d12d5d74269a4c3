"""One project in memory: its session, the thread that writes its log and the thread that learns from it."""
