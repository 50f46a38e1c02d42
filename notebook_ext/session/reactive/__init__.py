"""How a session reacts: what is built from what, what is out of date, and how it is brought up to date."""
