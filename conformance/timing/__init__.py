"""Timing: a table of how long gradients take, never a verdict.

Nothing is imported here: threads are pinned before NumPy starts, by `conformance.timing.threads`.
"""
