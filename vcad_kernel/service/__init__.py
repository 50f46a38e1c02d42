"""Evaluation behind one signature: in this process now, in one of its own later."""
