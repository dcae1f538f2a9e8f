"""Small functions over all of Python, each without arguments: tests run them in both forms."""
