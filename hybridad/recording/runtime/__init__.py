"""What the recording form calls: meanings of functions that NumPy's protocols do not see."""
