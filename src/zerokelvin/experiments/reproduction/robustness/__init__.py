"""Label noise, drift and delay: what they do to the learners."""

from zerokelvin.experiments.reproduction.robustness import noise_drift_delay

__all__ = ["noise_drift_delay"]
