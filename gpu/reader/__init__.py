"""A stranger's files, read in a process that can be lost: `Reader`; see README.md."""

from gpu.reader.reader import Reader, ReadError

__all__ = ["ReadError", "Reader"]
