"""Pictures of a session's parts for agents, and for whoever is asked to approve."""
