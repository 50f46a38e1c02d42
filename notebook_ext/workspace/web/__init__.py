"""Pages of the web, as an agent is given them."""
