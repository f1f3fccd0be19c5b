"""Lessons as data: Markdown for the text, TOML for what happens; nothing in them is executed."""
