"""Loops and branches of engines that have them as functions."""
