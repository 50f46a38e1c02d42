"""What agents may do by themselves, and a person's yes or no to the rest."""
