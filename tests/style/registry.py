#!/usr/bin/env python3
"""Every public function of include/weft/ops and every layer of include/weft/nn has a row in
tests/registry/operations.txt that names PyTorch's counterpart and the tests which hold it against a reference.

usage: registry.py check    every name has a row, every row a name; the tests named exist and use the name;
                            the sweep over edge values (tests/sweep) has each operation or a reason why not;
                            docs/operations.md is what the table gives
       registry.py write    writes docs/operations.md
       registry.py names    lists the names

A row: weft's name | PyTorch's name | reference test | gradient test | difference
Tests are paths under tests/, followed by "as WORD" where a test reaches the name through another; a gradient test is "rule" for a primitive whose rule is checked in
tests/unit/transforms/gradient_rules.cpp, or "-" where no gradient flows (the difference, or the kind of result,
says why). Sections begin with "# "; what PyTorch has and weft leaves out follows "! name | reason".
tests/registry/dtypes.txt says in the same manner which dtypes each of them takes.
"""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parents[2]
table_path = root / "tests/registry/operations.txt"
dtypes_path = root / "tests/registry/dtypes.txt"
page_path = root / "docs/operations.md"


def declarations(text):
    """(namespace, declaration, body) of everything at namespace level."""
    text = re.sub(r"//.*|^\s*#.*", "", text, flags=re.M)
    text = re.sub(r'"(\\.|[^"\\])*"', '""', text)
    text = text.replace("WEFT_NAMESPACE", "weft")
    stack, start, opened = [], 0, 0
    for at, c in enumerate(text):
        outside = all(s is not None for s in stack)
        if c == "{":
            head = text[start:at]
            named = re.search(r"namespace\s+([\w:]*)\s*$", head)
            if outside and named:
                stack.append(named.group(1))
                start = at + 1
            else:
                if outside:
                    opened = at
                stack.append(None)
        elif c == "}" and stack:
            space = stack.pop()
            if space is None and all(s is not None for s in stack):
                yield "::".join(stack), " ".join(text[start:opened].split()), text[opened:at]
            if all(s is not None for s in stack):
                start = at + 1
        elif c == ";" and outside:
            if text[start:at].strip():
                yield "::".join(stack), " ".join(text[start:at].split()), ""
            start = at + 1


def public_names():
    found, bases = {}, set()
    for folder in ("ops", "nn"):
        for path in sorted((root / "include/weft" / folder).rglob("*.hpp")):
            if path.name in ("expr.hpp", "handles.hpp", "keyword_args.hpp") or path.name.endswith("spelling.hpp"):  # handles; refusals
                continue
            for space, head, body in declarations(path.read_text()):
                if "detail" in space or space.endswith("init") or space.endswith("reduce"):
                    continue
                name = None
                if folder == "ops" or space.endswith("functional"):
                    function = re.search(r"constexpr auto (operator\S+?|\w+)\s*\(", head)
                    thing = re.search(r"inline constexpr [\w:<>,. ]+ (\w+)$", head)
                    name = function.group(1) if function else thing.group(1) if thing else None
                    if name and name.startswith("operator"):
                        name = "operators"
                    if name and space.endswith("functional"):
                        name = "nn::functional::" + name
                    if name and space.endswith("windows"):
                        name = "signal::windows::" + name
                elif alias := re.search(r"using (\w+) = (\w+)<", head):
                    name = "nn::" + alias.group(1)
                    bases.add("nn::" + alias.group(2))
                else:
                    layer = re.search(r"struct (\w+)(?: *<.*>)?$", head)
                    if layer and "operator()(" in body and ": Operation" not in head:
                        name = "nn::" + layer.group(1)
                if name:
                    found.setdefault(name, str(path.relative_to(root / "include/weft")))
    return {name: header for name, header in found.items() if name not in bases}  # users write the aliases


def bracketed():
    """{name: kinds} of functions whose template parameters are types and integers alone: "" where nothing may stand in
    <>, "i" where integers may; and the names that ops/bracket_spelling.hpp refuses anything else of."""
    found = {}
    for path in sorted((root / "include/weft/ops").rglob("*.hpp")):
        if path.name in ("expr.hpp", "handles.hpp", "custom.hpp") or path.name.endswith("spelling.hpp"):
            continue
        for space, head, _ in declarations(path.read_text()):
            function = re.match(r"template <([^<>]*)>.*?constexpr auto ([a-z]\w*)\s*\(", head)
            if space != "weft" or not function:
                continue
            kinds = ""
            for parameter in function.group(1).split(","):
                kind = parameter.split()[0].rstrip(".")
                kinds += "t" if kind in ("class", "Operand", "Scalar") else "i" if kind in ("int", "i64", "AxisIndex") else "?"
            found.setdefault(function.group(2), set()).add(kinds)
    refused = set(re.findall(r"\bM\((\w+)\)", (root / "include/weft/ops/bracket_spelling.hpp").read_text()))
    return {name for name, heads in found.items()
            if all(set(h) == {"t"} for h in heads) or all(re.fullmatch("i+t+", h) for h in heads)}, refused


def last_forms():
    """The functions of include/weft/ops, and those of which ops/core/call_spelling.hpp has a last form."""
    found = set()
    for path in sorted((root / "include/weft/ops").rglob("*.hpp")):
        if path.name in ("expr.hpp", "handles.hpp", "custom.hpp", "tensor_parallel.hpp") or path.name.endswith("spelling.hpp"):
            continue
        for space, head, _ in declarations(path.read_text()):
            function = re.match(r"template <.*constexpr auto ([a-z]\w*)\s*\((.*)", head)
            if space == "weft" and function:
                found.add(function.group(1))
    return found, set(re.findall(r"\bM\((\w+)\)", (root / "include/weft/ops/core/call_spelling.hpp").read_text()))


def table():
    rows, left_out, section = [], [], ""
    for number, line in enumerate(table_path.read_text().splitlines(), 1):
        if line.startswith("# "):
            section = line[2:].strip()
        elif line.startswith("! "):
            left_out.append([cell.strip() for cell in line[2:].split("|", 1)])
        elif line.strip():
            cells = [cell.strip() for cell in line.split("|")]
            if len(cells) != 5:
                sys.exit(f"{table_path.relative_to(root)}:{number}: a row has five cells")
            rows.append((section, *cells))
    return rows, left_out


def dtype_families():
    """{family: (takes, gives, test)}, {section: family}, {name: family}"""
    families, sections, names = {}, {}, {}
    for number, line in enumerate(dtypes_path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("%"):
            continue
        cells = [cell.strip() for cell in line.lstrip("=# ").split("|")]
        if len(cells) != (4 if line.startswith("=") else 2):
            sys.exit(f"{dtypes_path.relative_to(root)}:{number}: a family has four cells, anything else two")
        if line.startswith("="):
            families[cells[0]] = tuple(cells[1:])
        elif cells[1] not in families:
            sys.exit(f"{dtypes_path.relative_to(root)}:{number}: there is no family '{cells[1]}'")
        elif line.startswith("#"):
            sections[cells[0]] = cells[1]
        else:
            names.update((name, cells[1]) for name in cells[0].split())
    return families, sections, names


def page(rows, left_out):
    families, section_family, name_family = dtype_families()
    out = ["# Operations", "", "<!-- Made by tests/style/registry.py from tests/registry/operations.txt. -->", "",
           "PyTorch's names and weft's. Axes, extents and other numbers that decide a shape are template arguments:",
           "`torch.cumsum(x, 1)` is `cumsum<1>(x)`. Every row is compared with PyTorch's results by the tests, and where",
           "gradients flow they are compared with PyTorch's or with finite differences in f64. What stands under dtypes is",
           "explained [below](#dtypes).", ""]
    section = None
    for kind, name, torch, _, gradient, difference in rows:
        if kind != section:
            section = kind
            out += ["", f"## {kind}", "", "| PyTorch | weft | dtypes | gradient | differences |", "|---|---|---|---|---|"]
        dtypes = name_family.get(name, section_family.get(kind, ""))
        out.append(f"| {'`' + torch + '`' if torch else ''} | `{name}` | {dtypes} | {'' if gradient == '-' else 'yes'} | {difference} |")
    out += ["", "## Dtypes", "",
            "Another dtype is a compile error; of losses and layers it is not promised to be one. Operations of each family are",
            "compared with PyTorch's results in `f64`, `f16`, `bf16`, the integers and `bool`, as far as it takes them, losses and",
            "metrics in `f32`; 8-bit floats with each result computed in `f32` and rounded once. Small floats are added up in `f32` and",
            "rounded once. A division of integers by zero gives 0.", "",
            "| dtypes | takes | gives |", "|---|---|---|"]
    out += [f"| {family} | {takes} | {gives} |" for family, (takes, gives, _) in families.items()]
    out += ["", "## Left out", "", "| PyTorch | why |", "|---|---|"]
    out += [f"| `{name}` | {reason} |" for name, reason in left_out]
    return "\n".join(out) + "\n"


def uses(path, name):
    bare = name.rpartition("::")[2]
    word = {"operators": r"[-+*/<>=!&|^~]"}.get(name, rf"\b{re.escape(bare)}\b")
    return re.search(word, path.read_text()) is not None


def sweep_names():
    """Names that a row of tests/sweep tries on edge values, and those left out for a reason."""
    swept, without = set(), {}
    for path in sorted((root / "tests/sweep").glob("*_table.cpp")):
        swept.update(key.split()[0] for key in re.findall(r'\bROW\(\s*"([^"]+)"', path.read_text()))
    for line in (root / "tests/sweep/without.txt").read_text().splitlines():
        if line.strip() and not line.startswith("%"):
            names, _, why = line.partition("|")
            without.update((name, why.strip()) for name in names.split())
    return swept, without


def check():
    wrong = []
    names, (rows, left_out) = public_names(), table()
    listed = [row[1] for row in rows]
    swept, without = sweep_names()
    for name in listed:
        if (name in swept) == (name in without):
            wrong.append(f"{name}: one row in tests/sweep/*_table.cpp, or a reason in tests/sweep/without.txt")
    for name, why in without.items():
        if name not in listed or not why:
            wrong.append(f"tests/sweep/without.txt: {name}: no such operation, or no reason")
    for name, header in sorted(names.items()):
        if name not in listed:
            wrong.append(f"{name} (include/weft/{header}) has no row")
    for name in listed:
        if name not in names:
            wrong.append(f"{name}: there is no such function or layer")
        if listed.count(name) > 1:
            wrong.append(f"{name}: more than one row")
    taking, refused = bracketed()
    types = {"copy_to_parts", "empty_like", "full_like", "ones_like", "part_index", "sum_parts", "zeros_like"}  # in their <>
    windows = {"unfold"}  # in another overload
    for name in sorted(taking & set(names) - refused - types - windows):
        wrong.append(f"{name}: a list of include/weft/ops/bracket_spelling.hpp refuses what does not belong in its <>")
    functions, with_last_form = last_forms()
    of_functions = {"grad", "value_and_grad", "vjp", "jvp", "jacrev", "jacfwd", "hessian", "vmap", "probe", "loop",
                    "while_loop", "reverse_loop"}  # what they take is no tensor
    for name in sorted(functions & set(names) - with_last_form - of_functions):
        wrong.append(f"{name}: a list of include/weft/ops/core/call_spelling.hpp refuses calls that no form of it takes")
    for name in sorted(with_last_form - set(names)):
        wrong.append(f"{name}: include/weft/ops/core/call_spelling.hpp has it, and there is no such function")
    for _, name, torch, reference, gradient, difference in rows:
        for kind, test in (("reference", reference), ("gradient", gradient)):
            if test in ("-", "rule"):
                if kind == "reference":
                    wrong.append(f"{name}: no reference test")
                continue
            test, _, word = test.partition(" as ")
            path = root / "tests" / test
            if not path.exists():
                wrong.append(f"{name}: there is no tests/{test}")
            elif not uses(path, word or name):
                wrong.append(f"{name}: tests/{test} does not use it")
    families, section_family, name_family = dtype_families()
    for section in dict.fromkeys(row[0] for row in rows):
        if section not in section_family:
            wrong.append(f"tests/registry/dtypes.txt: no family for the section '{section}'")
    for name in name_family:
        if name not in listed:
            wrong.append(f"tests/registry/dtypes.txt: there is no row for {name}")
    for family, (_, _, test) in families.items():
        if not (root / "tests" / test).exists():
            wrong.append(f"tests/registry/dtypes.txt: {family}: there is no tests/{test}")
    if not page_path.exists() or page_path.read_text() != page(rows, left_out):
        wrong.append("docs/operations.md is not what the table gives: python3 tests/style/registry.py write")
    for line in sorted(set(wrong)):
        print(line)
    print(f"{len(names)} names, {len(rows)} rows, {len(set(wrong))} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    command = sys.argv[1] if len(sys.argv) > 1 else "check"
    if command == "names":
        for name, header in public_names().items():
            print(name, header)
    elif command == "write":
        page_path.write_text(page(*table()))
    elif command == "check":
        sys.exit(check())
    else:
        sys.exit(__doc__)
