"""Other ways to the same gradients: autograd, PyTorch, JAX, and adjoints written by hand."""
