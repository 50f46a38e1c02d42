"""The files of a workspace as agents may see and change them."""
