"""Reports made from run files, one module per format."""
