"""Evaluation behind one signature: in the caller's process, or in one of its own."""
