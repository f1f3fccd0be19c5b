"""What every room of the window may use: theme, text sizes, units, icons, threads."""
