"""Verdicts on hostile safetensors files: weft's beside those of the official `safetensors` package.

  python tests/parity/safetensors_hostile.py make             rewrites tests/parity/safetensors/hostile.txt
  python tests/parity/safetensors_hostile.py check PROGRAM    the package that is installed, and PROGRAM (which reads such
                                                              a list and answers with weft's verdicts), against that file

A line of the list: the name, the package's verdict (accepts or refuses), weft's, which is another only where DIFFERENCES
has a reason, and the file's bytes in hexadecimal, "7b*1000" standing for a byte that is repeated.
tests/unit/io/hostile.cpp holds weft to it where there is no such package.
"""

import itertools
import json
import pathlib
import random
import re
import subprocess
import sys

import safetensors

PATH = pathlib.Path(__file__).with_name("safetensors") / "hostile.txt"
SIZES = {"BOOL": 8, "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6, "U8": 8, "I8": 8, "F8_E5M2": 8, "F8_E4M3": 8, "F8_E8M0": 8,
         "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8, "I16": 16, "U16": 16, "F16": 16, "BF16": 16, "I32": 32, "U32": 32, "F32": 32,
         "C64": 64, "F64": 64, "I64": 64, "U64": 64}
# Where weft refuses what the package accepts, and why.
FORMAT = "the format's page asks for it, and says that not every reader does"
DIFFERENCES = {
    'header " {}"': FORMAT,  # the header begins with {
    'header "\\n{}"': FORMAT,
    'header "{\\"__metadata__\\":{\\"a\\":\\"b\\",\\"a\\":\\"c\\"}}"': FORMAT,  # a key stands once
    "one name twice, the first of them at fault": FORMAT,
    'header "{\\"__metadata__\\":null}"': "the format's page has a map of strings there",
    "a further field": "what it says of the tensor is not known, and might be that its bytes mean something else",
    "extents 0, 9223372036854775808": "extents are signed in weft",
    "extents 9223372036854775808, 0": "extents are signed in weft",
    "extents 0, 18446744073709551615": "extents are signed in weft",
    "extents 18446744073709551615, 0": "extents are signed in weft",
    "shape " + ",".join(["1"] * 30) + ",129": "more than 64 axes, as many as PyTorch's and NumPy's tensors have",
}


def framed(header, data=b"", length=None):
    header = header if isinstance(header, bytes) else header.encode()
    return (len(header) if length is None else length).to_bytes(8, "little") + header + data


def tensor(name="a", dtype="U8", shape="4", begin="0", end="4"):
    return f'"{name}":{{"dtype":"{dtype}","shape":[{shape}],"data_offsets":[{begin},{end}]}}'


def cases():
    """(name, bytes), the same on every run."""
    good = "{" + tensor() + "," + tensor("b", "F32", "2,2", "4", "20") + "}"
    data = bytes(range(20))
    yield "good", framed(good, data)
    for n in range(0, 9):
        yield f"first {n} bytes", framed(good, data)[:n]
    for cut in (1, 4, 16, 19, 20, 21, 60):
        yield f"without the last {cut}", framed(good, data)[:-cut]
    yield "a byte more", framed(good, data + b"x")
    for name, length in {"0": 0, "1": 1, "one short": len(good) - 1, "one long": len(good) + 1, "limit": 10**8,
                         "above the limit": 10**8 + 1, "2^32": 2**32, "2^63 - 1": 2**63 - 1, "2^63": 2**63,
                         "2^64 - 8": 2**64 - 8, "2^64 - 1": 2**64 - 1}.items():
        yield f"length {name}", framed(good, data, length)
    # JSON
    for text in ("", " ", "{", "}", "{}", " {}", "\n{}", "{} ", "{}\n\t ", "{}x", "{}{}", "{},", "[]", "null", "1", '"a"', "{,}",
                 '{"a"}', '{"a":}', '{"a":1}', '{"a":null}', '{"a":[]}', '{"a":{}}', '{"a":"x"}', "{a:1}", "{'a':1}", "{1:1}",
                 '{"__metadata__":{}}', '{"__metadata__":null}', '{"__metadata__":[]}', '{"__metadata__":"x"}',
                 '{"__metadata__":1}', '{"__metadata__":{"a":1}}', '{"__metadata__":{"a":null}}', '{"__metadata__":{"a":"b"}}',
                 '{"__metadata__":{"a":{}}}', '{"__metadata__":{"a":"b","a":"c"}}', '{"__metadata__":{},"__metadata__":{}}',
                 '{"__metadata__":{"a":"b",}}', '{"__metadata__":{"":""}}', '{"__metadata__":{"a":"\\u0000"}}',
                 '{"__metadata__":{"a":"\\ud800"}}', '{"__metadata__":{"a":"\\udc00"}}', '{"__metadata__":{"a":"\\ud83e\\uddf5"}}',
                 '{"__metadata__":{"a":"\\ud83e\\u0041"}}', '{"__metadata__":{"a":"\\x"}}', '{"__metadata__":{"a":"\\u12"}}',
                 '{"__metadata__":{"a":"\n"}}', '{"__metadata__":{"a":"\t"}}', '{"__metadata__":{"a":"\x7f"}}', "// x\n{}",
                 "{}//", "\ufeff{}", '{"__metadata__":{"a":"\\/"}}', '{"__METADATA__":{}}'):
        yield "header " + json.dumps(text, ensure_ascii=True), framed(text)
    for name, raw in {"ff": b"\xff", "overlong": b"\xc0\x80", "surrogate": b"\xed\xa0\x80", "above unicode": b"\xf4\x90\x80\x80",
                      "cut": b"\xe2\x82", "nul": b"\0"}.items():
        yield f"bytes {name} in a string", framed(b'{"__metadata__":{"a":"' + raw + b'"}}')
        yield f"bytes {name} behind", framed(b"{}" + raw)
    for depth in (60, 126, 127, 128, 129, 1000, 100000):
        yield f"{depth} arrays deep", framed('{"a":' + "[" * depth)
        if depth <= 1000:
            yield f"{depth} objects deep", framed('{"a":' * depth)
    # one tensor's fields
    field = {"dtype": '"U8"', "shape": "[4]", "data_offsets": "[0,4]"}
    for order in itertools.permutations(field):
        yield "order " + " ".join(order), framed(
            '{"a":{' + ",".join(f'"{k}":{field[k]}' for k in order) + "}}", data[:4])
    for key in field:
        yield f"without {key}", framed('{"a":{' + ",".join(f'"{k}":{v}' for k, v in field.items() if k != key) + "}}", data[:4])
        yield f"{key} twice", framed(
            '{"a":{' + ",".join(f'"{k}":{v}' for k, v in [*field.items(), (key, field[key])]) + "}}", data[:4])
        for value in ("null", "true", "1", "-1", '"x"', "[]", "[[]]", "{}", '["U8"]', '[4,"4"]'):
            yield f"{key} {value}", framed(
                '{"a":{' + ",".join(f'"{k}":{value if k == key else v}' for k, v in field.items()) + "}}", data[:4])
    yield "a further field", framed('{"a":{' + ",".join(f'"{k}":{v}' for k, v in field.items()) + ',"x":1}}', data[:4])
    yield "a field in capitals", framed('{"a":{"DTYPE":"U8","shape":[4],"data_offsets":[0,4]}}', data[:4])
    yield "escaped keys", framed('{"a":{"\\u0064type":"U8","sha\\u0070e":[4],"data_offsets":[0,4]}}', data[:4])
    # numbers
    for value in ("-0", "-1", "00", "04", "+4", "4.0", "4.5", "4e0", "4E0", "0x4", "4_0", "NaN", "Infinity", "1e400",
                  "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616", "1" * 400, " 4 "):
        yield f"extent {value}", framed("{" + tensor(shape=value) + "}", data[:4])
        yield f"extents 0, {value}", framed("{" + tensor(shape="0," + value, end="0") + "}")
        yield f"extents {value}, 0", framed("{" + tensor(shape=value + ",0", end="0") + "}")
        yield f"end {value}", framed("{" + tensor(end=value) + "}", data[:4])
        yield f"begin {value}", framed("{" + tensor(begin=value) + "}", data[:4])
    for offsets in ("", "0", "0,4,8", "4,0", "4,4", "0,5", "1,5", "0,3"):
        begin, _, end = offsets.partition(",")
        text = "{" + tensor() + "}"
        yield f"offsets [{offsets}]", framed(text.replace("[0,4]", f"[{offsets}]"), data[:4])
    for shape in ("4294967296,4294967296", "4611686018427387904,4", "2305843009213693952,8", "3,6148914691236517206", "1,1,4", "4,1,1",
                  "2,2", "", "1,4,0", ",".join(["1"] * 8 + ["4"]), ",".join(["1"] * 63 + ["4"]), ",".join(["1"] * 64 + ["4"])):
        yield f"shape {shape[:60]}{len(shape)}", framed("{" + tensor(shape=shape) + "}", data[:4])
        yield f"shape {shape[:60]}{len(shape)} of F64", framed("{" + tensor(dtype="F64", shape=shape) + "}", data[:4])
    # dtypes
    for dtype, bits in SIZES.items():
        for count in (0, 1, 3, 8):
            whole = (bits * count + 7) // 8
            yield f"{dtype} x {count}", framed("{" + tensor("a", dtype, str(count), "0", str(whole)) + "}", bytes(whole))
        yield f"{dtype} short", framed("{" + tensor("a", dtype, "8", "0", str(bits - 1)) + "}", bytes(bits - 1))
        yield f"{dtype} long", framed("{" + tensor("a", dtype, "8", "0", str(bits + 1)) + "}", bytes(bits + 1))
    for dtype in ("", "f32", "F31", "FLOAT", "F128", "I4", "U4", "F8", "F8_E3M4", "BF8", "C128", "BOOLEAN", "F32 ", "\\u004632"):
        yield f"dtype {dtype!r}", framed("{" + tensor("a", dtype, "1", "0", "4") + "}", data[:4])
    # names
    for name in ("", " ", "a.b", "a/b", "\\u0000", "\\ud83e\\uddf5", "\u00e9", "__metadata__", "n" * 300):
        yield f"name {name[:20]!r}", framed("{" + tensor(name) + "}", data[:4])
    yield "one name twice", framed("{" + tensor() + "," + tensor(begin="4", end="8") + "}", data[:8])
    yield "one name twice, escaped", framed("{" + tensor() + "," + tensor("\\u0061", begin="4", end="8") + "}", data[:8])
    yield "one name twice, the first of them at fault", framed("{" + tensor(end="5") + "," + tensor(begin="0", end="4") + "}", data[:4])
    # layouts of two and three tensors in bytes
    for ranges in (((0, 4), (4, 8)), ((4, 8), (0, 4)), ((0, 4), (0, 4)), ((0, 4), (3, 7)), ((0, 4), (5, 9)), ((1, 5), (5, 9)),
                   ((0, 4), (4, 8), (8, 12)), ((8, 12), (0, 4), (4, 8)), ((0, 0), (0, 4)), ((0, 4), (2, 2)), ((0, 4), (4, 4)),
                   ((0, 4), (5, 5)), ((4, 4), (0, 4)), ((0, 8), (2, 6)), ((2, 6), (0, 8)), ((0, 0), (0, 0))):
        end = max(e for _, e in ranges)
        text = "{" + ",".join(tensor(f"t{i}", "U8", str(e - b), str(b), str(e)) for i, (b, e) in enumerate(ranges)) + "}"
        yield f"ranges {ranges}", framed(text, bytes(end))
        yield f"ranges {ranges}, a byte short", framed(text, bytes(end)[:-1])
        yield f"ranges {ranges}, a byte long", framed(text, bytes(end) + b"x")
    # damage at random
    generator = random.Random(5)
    base = framed('{"__metadata__":{"k":"v"},' + tensor("a", "F16", "2", "0", "4") + "," + tensor("b", "U8", "3", "4", "7") + "}", data[:7])
    for trial in range(120):
        changed = bytearray(base)
        for _ in range(generator.randint(1, 2)):
            at = generator.randrange(len(changed))
            what = generator.randrange(4)
            if what == 0:
                changed[at] = generator.randrange(256)
            elif what == 1:
                changed[at] = ord(generator.choice('0123456789[]{}:,"\\-. '))
            elif what == 2:
                del changed[at:at + generator.randint(1, 3)]
            else:
                changed[at:at] = changed[at:at + generator.randint(1, 6)]
        if trial % 2:  # the right length, so that the header itself is what is judged
            changed[:8] = (len(changed) - 8 - 7).to_bytes(8, "little")
        yield f"damage {trial}", bytes(changed)


def written(content):
    return re.sub(r"((..)\2{7,})", lambda m: f" {m[2]}*{len(m[1]) // 2} ", content.hex()).strip() or "-"


def official(content):
    try:
        safetensors.deserialize(content)
        return "accepts"
    except safetensors.SafetensorError:
        return "refuses"


def lines():
    names = set()
    for name, content in cases():
        name = name.encode("ascii", "backslashreplace").decode().replace("|", "/")
        assert name not in names, name
        names.add(name)
        verdict = official(content)
        own = verdict
        if name in DIFFERENCES:
            own = "refuses" if verdict == "accepts" else "accepts"
        yield f"{name} | {verdict} | {own} | {written(content)}"
    assert set(DIFFERENCES) <= names, set(DIFFERENCES) - names


def check(program):
    expected = list(lines())
    assert PATH.read_text().splitlines() == expected, f"{PATH} is not what safetensors {safetensors.__version__} says: make it again"
    answers = subprocess.run([program, PATH], check=True, capture_output=True, text=True).stdout.splitlines()
    wrong = [(line.split(" | ")[:3], answer) for line, answer in zip(expected, answers, strict=True)
             if answer.split(" ")[0] != line.split(" | ")[2]]
    for line, answer in wrong:
        print("FAIL:", line, "weft:", answer)
    print(f"{len(expected) - len(wrong)} passed, {len(wrong)} failed")
    sys.exit(bool(wrong))


def main():
    if sys.argv[1:] == ["make"]:
        PATH.write_text("\n".join(lines()) + "\n")
    elif len(sys.argv) == 3 and sys.argv[1] == "check":
        check(sys.argv[2])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
