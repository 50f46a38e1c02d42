"""Messages and schemas at the seams. Imports nothing of ours."""
