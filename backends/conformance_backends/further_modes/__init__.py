"""Modes of engines that are run where they are named: a compiler beside the tape, an accelerator beside the CPU."""
