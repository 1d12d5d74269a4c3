"""Pictures of a comparison and of a labelling job."""
