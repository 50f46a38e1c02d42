"""A whole program or session: from text to code that runs in an environment, and what goes wrong there."""
