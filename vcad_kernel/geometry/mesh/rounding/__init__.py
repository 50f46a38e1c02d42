"""What rounding does to meshes, and its cure: levels before a boolean, contacts and films after it."""
