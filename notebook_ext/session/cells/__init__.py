"""The cells of a session: evaluating them, their parts, parameters, progress and views."""
