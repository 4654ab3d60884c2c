"""Further special functions: of the normal distribution, of Bessel, of entropies, of the gamma function's ratios."""
