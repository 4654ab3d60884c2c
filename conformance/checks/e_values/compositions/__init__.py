"""Checks of programs and of neighbours in them: gradients of compositions."""
