"""The run file: the records of what one run measured, how they are written and read, and the known failures."""
