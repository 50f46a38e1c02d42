"""Inferring the types of forms, and the findings about those that do not fit."""
