"""What exact bodies, their faces and their edges measure, and whether they are sound."""
