"""Adapters to engines, one module per engine; the reference engine is among them."""
