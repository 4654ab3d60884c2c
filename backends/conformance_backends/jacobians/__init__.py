"""Whole Jacobians and Hessians by engines' own functions."""
