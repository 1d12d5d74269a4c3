"""The service: sessions behind HTTP, with every event on the disk before it is acknowledged."""
