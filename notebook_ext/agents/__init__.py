"""Agents in the same session: their tools, what asks a person first, and what is written down."""
