"""Weft's safetensors files against Python's `safetensors` package. Needs torch and safetensors.

  python tests/parity/safetensors_files.py make              rewrites the files in tests/parity/safetensors/
  python tests/parity/safetensors_files.py check PROGRAM     PROGRAM IN OUT (safetensors_roundtrip.cpp) reads IN and
                                                             writes OUT with weft; both ends are compared here
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import torch
from safetensors import safe_open
from safetensors.torch import load, save

FOLDER = pathlib.Path(__file__).with_name("safetensors")
DTYPES = {
    "F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16,
    "F8_E4M3": torch.float8_e4m3fn, "F8_E5M2": torch.float8_e5m2, "I64": torch.int64, "I32": torch.int32,
    "I8": torch.int8, "U8": torch.uint8, "BOOL": torch.bool, "U32": torch.uint32,
}
# Of these weft has no dtype: it hands their bytes through.
FOREIGN = [torch.int16, torch.uint16, torch.uint64, torch.complex64, torch.float8_e4m3fnuz,
           torch.float8_e5m2fnuz]


def committed_files():
    """The values that tests/unit/io/safetensors.cpp expects."""
    tensors = {}
    for name, dtype in DTYPES.items():
        values = [0, 1, 2, 3, 100, 1] if dtype in (torch.uint8, torch.uint32) else [0, 1, -2, 1.5, 100, 0.25]
        tensors["t." + name] = torch.tensor(values).to(dtype).reshape(2, 3)
    tensors["scalar"] = torch.tensor(2.5)
    tensors["empty"] = torch.zeros(3, 0, dtype=torch.int32)
    tensors['näme "quoted" \\ \n\x01'] = torch.tensor([7], dtype=torch.int64)
    metadata = {"format": "pt", "note": 'a "quote", a tab\t and ünïcode 🧵'}
    content = save(tensors, metadata)
    while content.index(b'"format"') > content.index(b'"note"'):  # Python's package writes metadata in random order
        content = save(tensors, metadata)
    yield "all_dtypes.safetensors", content
    # An old writer: no padding after the header, so the data are not aligned.
    header = json.dumps({"w": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]}}).encode()
    header += b" " * (1 - len(header) % 2)
    data = torch.tensor([1.0, -2.0, 3.5]).numpy().tobytes()
    yield "unaligned.safetensors", len(header).to_bytes(8, "little") + header + data


def same(a, b):
    bits = [t.flatten().view(torch.uint8) for t in (a, b)]
    return a.dtype == b.dtype and a.shape == b.shape and torch.equal(*bits)


def check(program):
    generator = torch.Generator().manual_seed(7)
    files = list(committed_files())
    for trial in range(20):
        tensors = {}
        for i in range(trial):
            kinds = [*DTYPES.values(), *FOREIGN]
            dtype = kinds[int(torch.randint(len(kinds), (), generator=generator))]
            shape = torch.randint(0, 5, (int(torch.randint(1, 4, (), generator=generator)),), generator=generator)
            bits = torch.randint(0, 2 if dtype == torch.bool else 256, (int(shape.prod()) * dtype.itemsize,),
                                 generator=generator, dtype=torch.uint8)
            tensors[f"layer.{i}.weight"] = bits.view(dtype).reshape(shape.tolist())
        files.append((f"random {trial}", save(tensors, {"trial": str(trial)} if trial % 2 else None)))
    with tempfile.TemporaryDirectory() as folder:
        source, target = pathlib.Path(folder, "in"), pathlib.Path(folder, "out")
        for name, content in files:
            source.write_bytes(content)
            subprocess.run([program, source, target], check=True)
            written = target.read_bytes()
            expected, found = load(content), load(written)
            assert sorted(expected) == sorted(found), (name, sorted(expected), sorted(found))
            for key, tensor in expected.items():
                assert same(tensor, found[key]), (name, key)
            with safe_open(source, "pt") as a, safe_open(target, "pt") as b:
                assert a.metadata() == b.metadata(), name
            if name != "unaligned.safetensors":
                assert written == content, f"{name}: not the bytes that Python writes"
    print(f"{len(files)} passed, 0 failed")


def main():
    if sys.argv[1:] == ["make"]:
        FOLDER.mkdir(exist_ok=True)
        for name, content in committed_files():
            load(content)
            (FOLDER / name).write_bytes(content)
    elif len(sys.argv) == 3 and sys.argv[1] == "check":
        check(sys.argv[2])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
