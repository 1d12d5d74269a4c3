"""One report on every claim of the papers: what a claim is, where results are kept, how they are shown.

`claim` says what a claim is and how it is judged, `laboratory` plays its games, `claim_run` runs many claims
in processes or on a cluster (`zerokelvin.sweeps`), `report_page` writes the one file of HTML. The claims
themselves stand in the rooms of `zerokelvin.experiments.reproduction`, one class each.
"""
