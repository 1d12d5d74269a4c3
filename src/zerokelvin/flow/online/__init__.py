"""All minimum cuts while labels arrive: two forests, their repairs, the components between."""
