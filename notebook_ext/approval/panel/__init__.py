"""Where a person sees what agents ask: below the cell, and in ``session.approvals()``."""
