"""The files of a program: found by the names in ``use``, loaded and evaluated once, bound to names."""
