"""What a program may use: time, depth of calls, size of values; and what enforces that."""
