"""A run in words: its state, and what is known of its correctness."""

from __future__ import annotations

from gpu.page.words import proof_words
from viewer.models.session import RunRecord


def state_words(record: RunRecord) -> str:
    """Return the state of a run in a few words."""
    words = {
        "running": "Running",
        "finished": "Finished",
        "stopped": "Stopped",
        "failed": "Failed",
    }[record.state]
    return f"{words}: {record.title}"


def verified_words(record: RunRecord | None) -> tuple[str, str]:
    """Return what is known of a run's correctness, and the theme's colour for it."""
    if record is None or record.state in ("running", "failed"):
        return "", "muted"
    if record.state == "stopped":
        return "not verified: stopped", "muted"
    proofs = record.verification
    if proofs is None:
        return "verifying…", "muted"
    failed = False in (proofs.oracle, proofs.certificate)
    colour = "success" if proofs.passed else "error" if failed else "muted"
    return proof_words(proofs, record.is_matrix), colour
