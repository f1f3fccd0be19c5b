"""The session is kept while the window is open; it brings no action of its own."""

from __future__ import annotations

from viewer.feature import Feature

FEATURE = Feature("autosave")
