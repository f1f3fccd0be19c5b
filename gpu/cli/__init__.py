"""The command line, as far as it needs no window: one module a command, `main` over them."""
