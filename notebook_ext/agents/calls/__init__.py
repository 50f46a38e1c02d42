"""One call of a tool: its arguments, checks, approval and outcome."""
