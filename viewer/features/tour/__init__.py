"""Six stops on the real panels: what each of them shows, on the runs that the window opens on."""
