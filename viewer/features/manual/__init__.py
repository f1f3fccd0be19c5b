"""The manual: what each panel shows, every command, the glossary; searched, opened by F1."""
