"""Structural quantities of graphs and labellings: cuts, diameters, covers, connectivity."""
