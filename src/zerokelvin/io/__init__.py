"""Every file format; nothing else opens files."""
