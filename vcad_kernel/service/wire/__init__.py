"""Results, histories and answers as JSON, both ways: what a worker writes and a client reads, and back.

Each module has the structs whose fields are the form of one thing, makes them (`encode`) and makes the thing
of them again (`decode`, which takes JSON data just as well). `values` turns structs into JSON data and back,
and `result_json` puts them together. The other end may be another version, so members that are not known are
passed over; what does not make sense is refused as SCHEMA_VALIDATION_FAILED and never crashes the reader.
Nothing here knows sockets or files.
"""
