"""`sssp-scope desktop install|remove`: the program in a desktop's menu, opening its own files.

For one person, by the rules of freedesktop.org [1]: an entry, an icon as a drawing and in pixels,
and two kinds of files, below XDG_DATA_HOME (~/.local/share). `remove` takes back every file, and
every folder that is left empty.

A workspace is known by its name (.ssspw). A trace is a .npz, as anybody's arrays are: it is known
by what is in it, a zip archive that begins with the member of that name.

[1] Desktop Entry 1.1, Icon Theme, Shared MIME-info, XDG Base Directory.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from gpu.cli.parser import Parser
from gpu.cli.terminal import is_quiet, note
from gpu.errors import ParameterError
from gpu.record.workspace import SUFFIX
from gpu.wholefile import written_whole

NAME = "sssp-scope"
TRACE_TYPE, WORKSPACE_TYPE = f"application/x-{NAME}-trace", f"application/x-{NAME}-workspace"
FIRST_MEMBER = "header.npy"  # of the archive that a trace is
ICON_SIZES = (16, 24, 32, 48, 64, 128, 256, 512)  # pixels
ENTRY = f"applications/{NAME}.desktop"
TYPES = f"mime/packages/{NAME}.xml"
TEMPORARY = "archive-v0"  # a folder of uv's: what `uvx` runs once, and may throw away
RESERVED = set(" \t\n\"'\\><~|&;$*?#()`")  # characters for which a word of Exec is quoted
ESCAPED = '"`$\\'  # of those, what needs a backslash inside quotes
UPDATES = (("update-mime-database", "mime"), ("update-desktop-database", "applications"))
# what those two write beside: gone with the last thing that it was made of
MADE = {
    "applications": {"mimeinfo.cache"},
    "mime": {
        "aliases", "generic-icons", "globs", "globs2", "icons", "magic", "mime.cache",
        "subclasses", "treemagic", "types", "version", "XMLnamespaces",
    },
}  # fmt: skip


def add_desktop(parser: Parser) -> None:
    """Fill the parser of `sssp-scope desktop`."""
    parser.description = (
        "Put the program into the menu of your desktop (Linux, BSD), with its icon\n"
        "and the files that it opens; or take it out again."
    )
    parser.epilog = "examples:\n  sssp-scope desktop install\n  sssp-scope desktop remove"
    parser.add_argument("what", choices=("install", "remove"), help="for you alone, no root needed")
    parser.set_defaults(handle=_desktop, usage_error=parser.error)


def _desktop(args: argparse.Namespace) -> int:
    if sys.platform in ("win32", "darwin"):
        raise ParameterError(
            "desktop: entries of freedesktop.org are for Linux and BSD; on Windows and macOS start "
            f"{NAME} from a terminal, or make a shortcut to it"
        )
    home = data_home()
    files = install(home, own_command()) if args.what == "install" else remove(home)
    if TEMPORARY in sys.prefix and args.what == "install":
        note(
            "this copy may be thrown away (uvx); install it by pipx or uv tool install, then again"
        )
    if not is_quiet():
        print(f"{args.what}: {len(files)} files below {home}")
    return 0


def data_home() -> Path:
    """Return where a person's own data are; a relative XDG_DATA_HOME is none."""
    given = Path(os.environ.get("XDG_DATA_HOME", ""))
    return given if given.is_absolute() else Path.home() / ".local" / "share"


def own_command() -> list[str]:
    """Return what starts this program again, from anywhere."""
    for script in (Path(sys.argv[0]), Path(sys.executable).parent / NAME):
        if script.name == NAME and script.is_file():
            return [str(script.absolute())]
    return [sys.executable, "-m", "viewer.app"]


def install(home: Path, command: list[str]) -> list[Path]:
    """Write every file below `home`; return them. GpuError where that is refused."""
    written = []
    for name, content in contents(command):
        path = home / name
        with suppress(OSError):  # what is wrong with it is said by the next line
            path.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(path) as file:
            file.write(content)
        written.append(path)
    _update(home)
    return written


def remove(home: Path) -> list[Path]:
    """Take back what `install` wrote; return the files that were there."""
    found = [home / name for name in names() if (home / name).exists()]
    for path in found:
        path.unlink()
    _update(home)
    for folder, left in MADE.items():
        if not any(home.glob("mime/packages/*.xml" if folder == "mime" else f"{folder}/*.desktop")):
            for cache in left:
                (home / folder / cache).unlink(missing_ok=True)
    folders = {folder for name in names() for folder in (home / name).parents}
    folders |= {home / "mime" / "application"}
    for path in sorted(folders, key=lambda one: len(one.parts), reverse=True):
        if home in path.parents:
            with suppress(OSError):  # not there, or not empty
                path.rmdir()
    return found


def names() -> list[str]:
    """Return the files, relative to the folder of data."""
    sizes = [f"icons/hicolor/{size}x{size}/apps/{NAME}.png" for size in ICON_SIZES]
    return [ENTRY, TYPES, f"icons/hicolor/scalable/apps/{NAME}.svg", *sizes]


def contents(command: list[str]) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each file."""
    from viewer.common.icons import app_png, read_icon

    entry, types, drawing, *pixels = names()
    yield entry, entry_text(command).encode()
    yield types, types_text().encode()
    yield drawing, read_icon("app").encode()
    for name, size in zip(pixels, ICON_SIZES, strict=True):
        yield name, app_png(size)


def entry_text(command: list[str]) -> str:
    """Return the desktop entry that starts a command with a file."""
    line = " ".join(map(_quoted, command))
    return f"""[Desktop Entry]
Type=Application
Version=1.1
Name=SSSP Scope
GenericName=Shortest-Path Oscilloscope
Comment=Watch a GPU's shortest-path scheduler think
Exec={_value(line)} %f
TryExec={_value(command[0])}
Icon={NAME}
Terminal=false
Categories=Education;ComputerScience;
Keywords=graph;GPU;CUDA;shortest path;SSSP;
MimeType={TRACE_TYPE};{WORKSPACE_TYPE};
StartupNotify=true
StartupWMClass={NAME}
"""


def types_text() -> str:
    """Return both kinds of files; see the module."""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
  <mime-type type="{TRACE_TYPE}">
    <comment>SSSP Scope run</comment>
    <sub-class-of type="application/zip"/>
    <icon name="{NAME}"/>
    <magic priority="70">
      <match type="string" value="PK\\003\\004" offset="0">
        <match type="string" value="{FIRST_MEMBER}" offset="30"/>
      </match>
    </magic>
  </mime-type>
  <mime-type type="{WORKSPACE_TYPE}">
    <comment>SSSP Scope workspace</comment>
    <sub-class-of type="application/zip"/>
    <icon name="{NAME}"/>
    <glob pattern="*{SUFFIX}"/>
  </mime-type>
</mime-info>
"""


def _quoted(word: str) -> str:
    """Return a word of Exec: % doubled, in quotes where a character asks for them."""
    word = word.replace("%", "%%")
    if word and not RESERVED & set(word):
        return word
    return '"' + "".join(f"\\{one}" if one in ESCAPED else one for one in word) + '"'


def _value(text: str) -> str:
    """Return text as a value of the entry."""
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")


def _update(home: Path) -> None:
    """Have what is there read again, where the system has the programs for that."""
    for program, folder in UPDATES:
        found = shutil.which(program)
        if found is not None and (home / folder).is_dir():
            subprocess.run([found, str(home / folder)], capture_output=True, check=False)
