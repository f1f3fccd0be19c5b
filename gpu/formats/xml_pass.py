"""One pass of expat over an XML file: piece by piece, with progress and faults that name a line.

Entities are refused where they are declared: a few of them can make gigabytes of a short file.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar
from xml.parsers import expat

from gpu.errors import FormatError
from gpu.parsing.filebytes import FileBytes
from gpu.parsing.reading import Reading, shown

CHUNK_BYTES = 1 << 20


class XmlPass(ABC):
    """Hands elements to a format as they begin and end.

    FIRST_SHARE, SHARE : where the pass begins in the file's reading, 0..1, and how much it is of it
    """

    FIRST_SHARE: ClassVar[float] = 0.0
    SHARE: ClassVar[float] = 0.7

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self._expat = expat.ParserCreate()
        self._expat.EntityDeclHandler = self._declared
        self._expat.StartElementHandler = self._begun
        self._expat.EndElementHandler = self._ended

    @property
    def line(self) -> int:
        """The 1-based number of the line where the parser stands."""
        return self._expat.CurrentLineNumber

    def parse(self, data: FileBytes | bytes, *, last: bool = True) -> None:
        """Read on, to the end if this is the last text; raise FormatError with the fault's line."""
        try:
            for at in range(0, len(data), CHUNK_BYTES):
                self.reading.report(self.FIRST_SHARE + self.SHARE * at / len(data), "parsing")
                self._expat.Parse(bytes(data[at : at + CHUNK_BYTES]), False)
            self._expat.Parse(b"", last)
        except expat.ExpatError as error:
            words = expat.ErrorString(error.code) or "broken"
            raise self.reading.fault(f"no well-formed XML ({words})", error.lineno) from error
        except (ValueError, LookupError) as error:  # an encoding that Python does not know
            words = " ".join(str(error).split())[:80]
            raise FormatError(self.reading.path, f"no readable XML ({words})") from error

    def _declared(self, name: str, *_rest: object) -> None:
        raise self.reading.fault(
            f"declares the entity {shown(name.encode())}; expected none: they can blow a file up",
            self.line,
        )

    @abstractmethod
    def _begun(self, name: str, given: dict[str, str]) -> None:
        """Take an element's name and the attributes given."""

    @abstractmethod
    def _ended(self, name: str) -> None:
        """Take the end of an element."""
