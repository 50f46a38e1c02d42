"""The document: a hash-consed DAG of solid operations. Knows neither Loon nor kernels."""
