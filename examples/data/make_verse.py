"""Writes verse.txt beside this file: As You Like It and Paradise Lost, from the test data of Brotli's source package.

README.md in this folder says where the texts come from. Run it in an empty folder with:
  pip download --no-binary :all: --no-deps Brotli==1.2.1
  python make_verse.py brotli-1.2.1.tar.gz
"""

import pathlib
import sys
import tarfile


def text_of(package, name):
    [member] = [m for m in package.getmembers() if m.name.endswith("/tests/testdata/" + name)]
    text = package.extractfile(member).read().decode("ascii")
    return text.replace("\r\n", "\n").rstrip("\x1a\n \r")


def lines_of(text):
    """Without spaces at the ends of lines, and with at most one empty line between two others."""
    lines = []
    for line in (line.rstrip() for line in text.split("\n")):
        if line or (lines and lines[-1]):
            lines.append(line)
    return "\n".join(lines).strip("\n") + "\n"


def main():
    with tarfile.open(sys.argv[1]) as package:
        play, poem = text_of(package, "asyoulik.txt"), text_of(package, "plrabn12.txt")
    poem = poem[poem.index("\nParadise Lost \n \n") :]  # behind the introduction to the electronic text
    assert poem.endswith("[The End]")
    text = lines_of(play) + "\n" + lines_of(poem.removesuffix("[The End]"))
    assert all(c == "\n" or c == "\t" or " " <= c <= "~" for c in text) and len(text) > 500_000
    path = pathlib.Path(__file__).with_name("verse.txt")
    path.write_bytes(text.encode("ascii"))
    print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
