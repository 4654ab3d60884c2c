"""What engines keep of compiled functions from run to run."""
