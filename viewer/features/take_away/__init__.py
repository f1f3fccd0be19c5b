"""Pictures, tables, films and commands of what is shown."""
