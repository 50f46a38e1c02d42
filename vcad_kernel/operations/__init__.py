"""The operations of the CAD library: one record each, one file for each family.

What else knows an operation is derived from its record: the library's Loon text, the reference, completion,
editors' tokens, the JSON form, digest and op record of its node. Each kernel has one builder for a node.
Knows neither documents, nor how Loon is evaluated, nor a kernel.
"""
