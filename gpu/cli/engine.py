"""The command engine: the far end of a run that is watched from another computer."""

from __future__ import annotations

import argparse

from gpu.cli.inputs import add_examples
from gpu.cli.parser import Parser


def add_engine(parser: Parser) -> None:
    """Fill the parser of `engine`."""
    parser.add_argument(
        "--stdio",
        action="store_true",
        required=True,
        help="speak over stdin and stdout, as `ssh` carries them",
    )
    parser.set_defaults(handle=_engine)
    add_examples(
        parser,
        "sssp-scope run roads.gr.gz --on user@host   # starts it there, as",
        "ssh user@host sssp-scope engine --stdio",
    )


def _engine(_args: argparse.Namespace) -> int:
    from gpu.remote.far import serve

    return serve()
