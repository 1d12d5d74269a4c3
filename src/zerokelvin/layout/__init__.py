"""Where to draw the nodes of a graph: two slow eigenvectors at once, then refined by pulls and pushes.

`first_layout` is there within a second or two at 100,000 nodes; `refine` makes it better in the background.
"""

from zerokelvin.layout.refinement import LayoutStage, refine
from zerokelvin.layout.spectral_start import first_layout

__all__ = ["LayoutStage", "first_layout", "refine"]
