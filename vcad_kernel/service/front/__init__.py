"""The front of the evaluation service: sockets, queue, clocks, artifacts. Knows no geometry."""
