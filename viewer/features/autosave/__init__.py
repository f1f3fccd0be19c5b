"""The session as it was, after a window that ended without saying goodbye."""
