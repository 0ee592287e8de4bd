#!/usr/bin/env python3
"""Writes single_include/weft/weft.hpp: weft.hpp and every weft header it reaches, as one file.

usage: scripts/amalgamate.py            write the file
       scripts/amalgamate.py --check    compare only; exit 1 if the file is not what would be written
       scripts/amalgamate.py --print    to standard output

Each header appears once, before its first user. A header that is included only inside an #if stays there, so
that a CUDA part remains a CUDA part. System includes outside of any #if move to the top.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "single_include" / "weft" / "weft.hpp"

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
IF = re.compile(r"^\s*#\s*(if|ifdef|ifndef)\b")
ELSE = re.compile(r"^\s*#\s*(elif|else)\b")
ENDIF = re.compile(r"^\s*#\s*endif\b")
PRAGMA_ONCE = re.compile(r"^\s*#\s*pragma\s+once\b")


class Header:
    """A header cut into items: ("text", line), ("weft", path, condition) or ("system", name, condition, line).

    A condition is the tuple of #if, #elif and #else lines that the item stands in, () at the top level.
    """

    def __init__(self, include_dir, path):
        self.path = path
        self.items = []
        self.once = False
        condition = []  # one entry for each open #if: all of its branch lines so far
        in_comment = False
        for line in (include_dir / path).read_text(encoding="utf-8").splitlines():
            was_comment = in_comment
            in_comment = comment_open(line, in_comment)
            if was_comment:
                self.items.append(("text", line))
                continue
            if PRAGMA_ONCE.match(line):
                self.once = True
                continue
            if IF.match(line):
                condition.append((normal(line),))
            elif ELSE.match(line):
                condition[-1] += (normal(line),)
            elif ENDIF.match(line):
                condition.pop()
            match = INCLUDE.match(line)
            if not match:
                self.items.append(("text", line))
                continue
            here = tuple(condition)
            name = match.group(2)
            if name.startswith("weft/") and (include_dir / name).exists():
                self.items.append(("weft", name, here))
            elif match.group(1) == '"':
                raise SystemExit(f'amalgamate: {path}: cannot find "{name}" (write "weft/..." paths)')
            else:
                self.items.append(("system", name, here, line))
        if condition:
            raise SystemExit(f"amalgamate: {path}: an #if without #endif")


def normal(line):
    """One spelling for equal conditions: #ifdef X is #if defined(X)."""
    line = re.sub(r"\s+", " ", line.split("//")[0]).strip().replace("# ", "#")
    line = re.sub(r"^#ifdef (\w+)$", r"#if defined(\1)", line)
    return re.sub(r"^#ifndef (\w+)$", r"#if !defined(\1)", line)


def comment_open(line, in_comment):
    """Whether a /* comment is open after this line. Strings and // are honoured."""
    i = 0
    while i < len(line):
        if in_comment:
            end = line.find("*/", i)
            if end < 0:
                return True
            in_comment, i = False, end + 2
        elif line.startswith("//", i):
            return False
        elif line.startswith("/*", i):
            in_comment, i = True, i + 2
        elif line[i] == '"':
            i += 1
            while i < len(line) and line[i] != '"':
                i += 2 if line[i] == "\\" else 1
            i += 1
        else:
            i += 1
    return in_comment


class Amalgamation:
    def __init__(self, include_dir, root):
        self.include_dir = include_dir
        self.headers = {}
        self.always = set()  # reached without passing through an #if
        self.find_always(root)
        self.emitted = {}  # path -> the conditions it was emitted under
        self.system = set()
        self.body = []
        self.emit(root, ())

    def header(self, path):
        if path not in self.headers:
            self.headers[path] = Header(self.include_dir, path)
        return self.headers[path]

    def find_always(self, path):
        if path in self.always:
            return
        self.always.add(path)
        for item in self.header(path).items:
            if item[0] == "weft" and not item[2]:
                self.find_always(item[1])

    def reachable_always(self, path, seen, conditional=False):
        """Headers of self.always below `path`, or below its conditional includes alone, in the order of their
        first mention."""
        for item in self.header(path).items:
            if item[0] == "weft" and item[1] not in seen and (item[2] or not conditional):
                seen.add(item[1])
                if item[1] in self.always and self.header(item[1]).once:
                    yield item[1]
                else:
                    yield from self.reachable_always(item[1], seen)

    def emit(self, path, outer):
        """Appends the header's text; `outer` is the condition that its first line stands in."""
        header = self.header(path)
        if header.once:
            for done in self.emitted.get(path, []):
                if outer[: len(done)] == done:
                    return
            self.emitted.setdefault(path, []).append(outer)
        if not outer:  # what an #if below needs, and others need always, must come before it
            for needed in self.reachable_always(path, set(), conditional=True):
                self.emit(needed, ())
        # Only a header that may be met again needs a guard; elsewhere once is once.
        guard = None
        if header.once and outer:
            guard = "WEFT_SINGLE_" + re.sub(r"\W", "_", path).upper()
        lines = [f"// ---- {path} ----"]
        if guard:
            lines += [f"#ifndef {guard}", f"#define {guard}"]
        self.body += lines
        for item in header.items:
            if item[0] == "text":
                self.body.append(item[1])
            elif item[0] == "weft":
                self.emit(item[1], outer + item[2])
            elif outer or item[2]:
                self.body.append(item[3])
            else:
                self.system.add(item[1])
        if guard:
            self.body.append(f"#endif  // {guard}")

    def text(self, title):
        body = "\n".join(self.body)
        body = re.sub(r"\n{3,}", "\n\n", body).strip("\n")
        system = "\n".join(f"#include <{name}>" for name in sorted(self.system))
        return f"{title}\n#pragma once\n\n{system}\n\n{body}\n"


def version(include_dir):
    text = (include_dir / "weft/core/config.hpp").read_text(encoding="utf-8")
    parts = [re.search(rf"#define WEFT_VERSION_{part} (\d+)", text) for part in ("MAJOR", "MINOR", "PATCH")]
    if not all(parts):
        raise SystemExit("amalgamate: no WEFT_VERSION_... in weft/core/config.hpp")
    return ".".join(part.group(1) for part in parts)


def amalgamate(include_dir, root="weft/weft.hpp"):
    title = (
        f"// weft {version(include_dir)}, as one header. Licensed under the Apache License, Version 2.0; see LICENSE or\n"
        "// https://www.apache.org/licenses/LICENSE-2.0. Generated by scripts/amalgamate.py from include/weft; do not\n"
        "// edit, and do not mix with the separate headers in one program."
    )
    return Amalgamation(include_dir, root).text(title)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--check", action="store_true", help="compare only")
    group.add_argument("--print", action="store_true", help="write to standard output")
    parser.add_argument("--include-dir", type=pathlib.Path, default=ROOT / "include", help="default: include")
    parser.add_argument("--root", default="weft/weft.hpp", help="the header to start from")
    arguments = parser.parse_args()

    text = amalgamate(arguments.include_dir, arguments.root)
    if arguments.print:
        sys.stdout.write(text)
        return 0
    old = OUTPUT.read_text(encoding="utf-8") if OUTPUT.exists() else None
    if arguments.check:
        if old == text:
            return 0
        print(f"{OUTPUT.relative_to(ROOT)} is not what include/weft gives; run scripts/amalgamate.py")
        return 1
    if old != text:
        OUTPUT.parent.mkdir(parents=True, exist_ok=True)
        OUTPUT.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
