"""What `make` runs beside the product."""
