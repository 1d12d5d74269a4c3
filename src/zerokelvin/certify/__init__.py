"""The `Bound` type and validators that never call what they judge."""
