"""Files of a workspace: the gate that every path goes through, and what is read and written behind it."""
