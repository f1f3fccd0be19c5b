"""The window: models hold, widgets show, the controller acts."""
