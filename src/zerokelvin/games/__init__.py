"""The game over a whole labelling: labels at the edge, the trials played, the run that is left behind."""

from zerokelvin.games.game import play, play_shuffles
from zerokelvin.games.run_result import Run, Runs

__all__ = ["Run", "Runs", "play", "play_shuffles"]
