"""Labelled data sets by name: found on disk, downloaded once, or read from their public archives."""
