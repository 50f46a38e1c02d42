"""What is done at places of a solid: blends, shells, drafts, holes, bosses and pockets, and which places."""
