"""Other functions of an engine for what its adapter names once: modes whose ops alone are asked (`Backend.is_spelling`).

`x.relu_()` and `relu(x)`, `max(x, dim).values` and `amax(x)` are different code with rules of their own.
"""
