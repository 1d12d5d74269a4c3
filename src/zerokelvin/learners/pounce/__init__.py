"""POUNCE, project on the nearest mistake (Herbster 2008)."""
