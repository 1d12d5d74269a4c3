"""Many computations that have nothing to do with each other, here, in processes or on a cluster.

`places` says where cells are computed, `cells` computes those that are not known yet, `result_store` keeps
each as it comes, `game_cells` plays games that way and `grid` makes a table of them.
"""
