"""The project that a session works in: its folder, and its truth in ``design_model.json``."""
