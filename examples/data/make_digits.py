"""Writes digits.bin beside this file from scikit-learn's copy of the handwritten digits.

README.md in this folder says where the data come from and how the file is laid out.
Run: python examples/data/make_digits.py   (needs scikit-learn)
"""

import pathlib
import struct

import numpy as np
from sklearn.datasets import load_digits


def main():
    digits = load_digits()
    images = digits.images
    assert images.shape == (1797, 8, 8) and images.min() == 0 and images.max() == 16
    assert np.array_equal(images, np.floor(images)) and set(digits.target) == set(range(10))
    header = b"WEFTDGT1" + struct.pack("<4I", len(images), 8, 8, 10)
    path = pathlib.Path(__file__).with_name("digits.bin")
    path.write_bytes(header + images.astype(np.uint8).tobytes() + digits.target.astype(np.uint8).tobytes())
    print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
