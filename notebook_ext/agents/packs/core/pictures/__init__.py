"""Pictures of a session's parts for agents, and for the person who is asked to approve."""
