"""A run in words: its state, and what is known of its correctness."""

from __future__ import annotations

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
    named = {"Dijkstra": proofs.oracle, "certificate": proofs.certificate}
    if not proofs.passed:
        failed = [name for name, held in named.items() if held is False]
        return ("✗ wrong: fails against " + " and ".join(failed) if failed else "not verified"), (
            "error" if failed else "muted"
        )
    if record.is_matrix:
        return f"✓ {proofs.detail}", "success"  # of which rows
    how = {
        (True, True): "against Dijkstra and by certificate",
        (True, None): "against Dijkstra",
        (None, True): "by certificate",
    }[proofs.oracle, proofs.certificate]
    return f"✓ verified {how}", "success"
