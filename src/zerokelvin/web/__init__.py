"""The labelling page: TypeScript source, and the bundle made from it that the service hands out."""
