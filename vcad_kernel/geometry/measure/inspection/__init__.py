"""The faces and edges of a part: tables, features, what selections take."""
