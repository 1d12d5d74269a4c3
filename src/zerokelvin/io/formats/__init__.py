"""One file per format of graphs and labels, and how columns of tables are told apart."""
