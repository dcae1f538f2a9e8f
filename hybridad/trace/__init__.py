"""What the runs of one signature did: a tree of paths made of operations, loops kept loops."""
