"""The static checker: types, effects and ownership of a text, as findings that never stop it."""
