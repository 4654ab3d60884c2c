"""Ops of sampled signals: volumes, images at another size, spectra."""
