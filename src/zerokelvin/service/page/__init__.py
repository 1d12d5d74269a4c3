"""The labelling page of a project: which question comes next, what a person sees, where the work stands."""
