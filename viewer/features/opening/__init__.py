"""What the window opens on: runs that were recorded on a real GPU."""
