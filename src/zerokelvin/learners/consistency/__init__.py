"""Local and global consistency: OLLGC, SSLGC, BBQ and the batch comparator (Gu, Aggarwal, Liu, Han 2013)."""
