"""Pack project: the truth, its traces, and what SketchUp shows of them."""
