"""Evaluation in the process that has the kernels: cells and their history, results, answers."""
