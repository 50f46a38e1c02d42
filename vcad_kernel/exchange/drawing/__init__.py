"""Technical drawings: sections and views as curves in a plane, written as DXF and SVG."""
