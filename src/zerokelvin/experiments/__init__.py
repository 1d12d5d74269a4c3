"""What to play and what came of it: loading problems, summaries, the demonstration, pictures."""

from zerokelvin.experiments.catalogue import LearnerInfo, describe_learner, list_learners, parse_parameters
from zerokelvin.experiments.demo import Demo, learned_mistakes, play_demo, save_pictures
from zerokelvin.experiments.problem import Problem, load_problem
from zerokelvin.experiments.summary import Summary, summarize

__all__ = [
    "Demo",
    "LearnerInfo",
    "Problem",
    "Summary",
    "describe_learner",
    "learned_mistakes",
    "list_learners",
    "load_problem",
    "parse_parameters",
    "play_demo",
    "save_pictures",
    "summarize",
]
