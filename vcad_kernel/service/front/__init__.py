"""The front of the evaluation service: sockets, queue, clocks, artifacts. Knows no geometry.

`connection` is one client, `jobs` what clients ask of the worker, `worker` the processes that do it, `files`
what lies on the disk; `server.py` puts them together, `lifetime.py` gives it what it has in earnest.
"""
