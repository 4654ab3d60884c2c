"""What factors matrices: rows of their factors, and the algorithms written out."""
