"""Workers: the processes in which questions are run, and what the death of one is worth."""
