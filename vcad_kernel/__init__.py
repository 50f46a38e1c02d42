"""The modelling kernel: Loon text in, measured and exported solids out. Knows no notebook."""
