"""What stands around the graph: run panel, bars, menus, dialogs of files and of help."""
