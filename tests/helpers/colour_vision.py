"""Colours as people see them, in CIE Lab."""

import numpy as np

from viewer.common.theme import luminance

# Machado, Oliveira and Fernandes 2009, severity 1.0, on linear RGB
SEEN_BY = {
    "everyone": np.eye(3),
    "protanopia": np.array(
        [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]]
    ),
    "deuteranopia": np.array(
        [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]
    ),
    "tritanopia": np.array(
        [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]]
    ),
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def lab(colours: np.ndarray, seen_by: str = "everyone") -> np.ndarray:
    """Return CIE Lab (D65) float (k, 3) of sRGB 0..255 (k, 3), as seen by somebody."""
    channels = colours / 255.0
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    linear = np.clip(linear @ SEEN_BY[seen_by].T, 0, 1)
    xyz = linear @ TO_XYZ.T / (0.9505, 1.0, 1.089)
    root = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.stack(
        [116 * root[:, 1] - 16, 500 * (root[:, 0] - root[:, 1]), 200 * (root[:, 1] - root[:, 2])],
        axis=1,
    )


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours "#rrggbb", 1..21 (WCAG 2.2)."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)
