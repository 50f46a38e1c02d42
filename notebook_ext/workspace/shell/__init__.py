"""Commands in a workspace, run where they can reach nothing else."""
