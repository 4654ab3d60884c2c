"""Families of few ops, as the users of each engine write them."""
