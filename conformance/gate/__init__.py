"""The gate: what a run means to a project that uses it, and what changed since an earlier one."""
