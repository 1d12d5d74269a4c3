"""What to play and what came of it: loading problems, summaries, the demonstration, pictures."""

from typing import TYPE_CHECKING

from zerokelvin.lazy import lazy_names

if TYPE_CHECKING:
    from zerokelvin.experiments.catalogue import (
        LearnerInfo,
        describe_learner,
        list_learners,
        parse_grid,
        parse_parameters,
    )
    from zerokelvin.experiments.comparison import Comparison, compare
    from zerokelvin.experiments.digits_demo import Demo, learned_mistakes, play_demo, save_pictures
    from zerokelvin.experiments.labelled_problem import Problem, load_problem
    from zerokelvin.experiments.labelling import LabellingJob, label_at_random, label_by_value
    from zerokelvin.experiments.peers import PEERS
    from zerokelvin.experiments.reproduction import EXPERIMENTS, Experiment, Report, make_experiment
    from zerokelvin.experiments.summary import CheckedRuns, Summary, check_unasked, summarize

__all__ = [
    "EXPERIMENTS",
    "PEERS",
    "CheckedRuns",
    "Comparison",
    "Demo",
    "Experiment",
    "LabellingJob",
    "LearnerInfo",
    "Problem",
    "Report",
    "Summary",
    "check_unasked",
    "compare",
    "describe_learner",
    "label_at_random",
    "label_by_value",
    "learned_mistakes",
    "list_learners",
    "load_problem",
    "make_experiment",
    "parse_grid",
    "parse_parameters",
    "play_demo",
    "save_pictures",
    "summarize",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "zerokelvin.experiments.catalogue": (
            "LearnerInfo describe_learner list_learners parse_grid parse_parameters"
        ),
        "zerokelvin.experiments.comparison": "Comparison compare",
        "zerokelvin.experiments.digits_demo": "Demo learned_mistakes play_demo save_pictures",
        "zerokelvin.experiments.labelled_problem": "Problem load_problem",
        "zerokelvin.experiments.labelling": "LabellingJob label_at_random label_by_value",
        "zerokelvin.experiments.peers": "PEERS",
        "zerokelvin.experiments.reproduction": "EXPERIMENTS Experiment Report make_experiment",
        "zerokelvin.experiments.summary": "CheckedRuns Summary check_unasked summarize",
    },
)
