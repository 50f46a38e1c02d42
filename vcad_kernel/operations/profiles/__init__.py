"""Profiles, paths and the curves they are made of: records of all that is drawn before it is a solid."""
