"""What the window knows, QtCore only: session, playback, settings."""
