"""The way to SketchUp: a connection, its protocol, and the calls that the extension answers."""
