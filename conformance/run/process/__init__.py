"""The process: its memory, threads, signals and children, and what an engine finds in it."""
