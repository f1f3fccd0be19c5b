"""Every event of a small run, one by one."""
