"""What a PDF of one page shows."""

from pathlib import Path

from PyQt6.QtCore import QSize
from PyQt6.QtGui import QColor, QImage, QPainter
from PyQt6.QtPdf import QPdfDocument


def opened(path: Path) -> QPdfDocument:
    document = QPdfDocument(None)
    assert document.load(str(path)) == QPdfDocument.Error.None_
    assert document.pageCount() == 1
    return document


def words_of(path: Path) -> str:
    return " ".join(opened(path).getAllText(0).text().split())


def page_size(path: Path) -> tuple[int, int]:
    """Return width and height, pixels at 96 to the inch."""
    points = opened(path).pagePointSize(0)
    return round(points.width() * 96 / 72), round(points.height() * 96 / 72)


def shown(path: Path) -> QImage:
    """Return the page on white, a pixel for each of `page_size`."""
    size = QSize(*page_size(path))
    image = QImage(size, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    painter.drawImage(0, 0, opened(path).render(0, size))
    painter.end()
    return image
