"""Other ways to the same gradients: autograd, and adjoints written by hand."""
