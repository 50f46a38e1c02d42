"""Faces of exact bodies moved and tilted: shells, offsets and drafts."""
