"""The smallest eigenpairs of graphs on disk: blocks of columns, filtered by any number of workers."""
