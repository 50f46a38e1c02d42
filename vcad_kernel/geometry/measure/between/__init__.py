"""Two parts, or two things of a part: distance, overlap, what changed."""
