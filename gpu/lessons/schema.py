"""The forms of our files as JSON Schema, for others who write lessons and traces.

    python -m gpu.lessons.schema            write assets/schemas/*.json
    python -m gpu.lessons.schema --check    say which of them is not current; exit 1 if one is not

They are made from the declarations that the readers use, so they say what is checked: TOML and
JSON have the same values. What only a run shows is left to `sssp-scope lesson check`.
"""

from __future__ import annotations

import json
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

from gpu.lessons.lesson import VALUE, LessonFile, Value, VertexId
from gpu.record.notes import Note
from gpu.record.schema import TraceHeader, WorkspaceTable
from gpu.schema import json_schema

FILES: dict[str, tuple[type, str]] = {
    "lesson": (LessonFile, "A lesson of SSSP Scope: the values of its TOML file"),
    "trace": (TraceHeader, "A trace of SSSP Scope: the JSON in the member `header` of its .npz"),
    "note": (Note, "A note of a trace: an entry of the list `notes` in its header"),
    "workspace": (WorkspaceTable, "A workspace of SSSP Scope: its member workspace.json"),
}
_VALUE = {
    "description": "run.quantity, run.quantity(vertex), or one divided by another",
    "anyOf": [
        {"type": "string", "pattern": VALUE.pattern},
        {
            "type": "object",
            "properties": {"value": {"$ref": "#/$defs/Value"}, "over": {"$ref": "#/$defs/Value"}},
            "required": ["value"],
            "additionalProperties": False,
        },
    ],
}
_NUMBER = {"anyOf": [{"$ref": "#/$defs/Value"}, {"type": "number"}]}
_ID = {"anyOf": [{"type": "string"}, {"type": "integer"}]}


def schemas() -> dict[str, str]:
    """Return file name -> text of each schema."""
    texts = {}
    for key, (kind, title) in FILES.items():
        made = json_schema(kind, _own) | {"title": title}
        if key == "trace":  # no list of algorithms: another version may have others
            made["$defs"]["SettingsTable"]["properties"]["algorithm"] = {"type": "string"}
        if key == "lesson":
            made["$defs"] = {**made["$defs"], "Value": _VALUE}
        texts[f"{key}.schema.json"] = json.dumps(made, indent=1, ensure_ascii=False) + "\n"
    return texts


def folder() -> Path:
    """Return where they are kept."""
    return Path(str(files("assets"))) / "schemas"


def main(arguments: list[str]) -> int:
    """Write the schemas, or say which of them is not current."""
    stale = 0
    for name, text in schemas().items():
        path = folder() / name
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        print(path)
        if "--check" not in arguments:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return int(stale > 0 and "--check" in arguments)


def _own(kind: type) -> dict[str, Any]:
    """Return the schema of a class of ours, for msgspec."""
    if kind is Value:
        return {"$ref": "#/$defs/Value"}
    return _ID if kind is VertexId else _NUMBER


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
