"""One file a panel; a widget shows a model and asks; it owns nothing."""
