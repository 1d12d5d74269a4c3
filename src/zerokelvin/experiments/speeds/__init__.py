"""Every speed goal in one table: how figures are read off what benchmarks print, and how they are kept."""
