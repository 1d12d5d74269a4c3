"""Packs: graphs in one file, which is mapped into memory and not read (docs/adr/0016-packed-graphs.md)."""
