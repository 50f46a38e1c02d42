"""The ownership check (§18): who owns a value, and names that are used after they were given away."""
