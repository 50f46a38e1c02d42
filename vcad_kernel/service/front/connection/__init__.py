"""One client: its socket and lines, how it is let in, what it asks and is answered."""
