"""Pictures without GL."""
