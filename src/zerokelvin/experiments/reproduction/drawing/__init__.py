"""How well drawings of graphs show who is whose neighbour."""

from zerokelvin.experiments.reproduction.drawing import drawn_neighbours

__all__ = ["drawn_neighbours"]
