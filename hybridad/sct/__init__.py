"""The specializer: a trace becomes straight-line adjoint Python."""
