"""What comes of the calls of one op: findings, values, gradients."""
