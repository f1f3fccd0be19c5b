"""Steps, pace and loops of playback."""
