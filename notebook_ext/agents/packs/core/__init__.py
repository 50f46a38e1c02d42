"""Pack core, what every agent is shown: to model, measure and look."""
