"""The session with scikit-learn's face."""

from zerokelvin.sklearn.classifier import GraphClassifier

__all__ = ["GraphClassifier"]
