"""`./weft bench cuda --counted`: what the kernels of weft's cases do on the software device (docs/softgpu.md), and
the least time that this takes on a stated GPU. Nothing is timed: a bound says how long a kernel takes at the least,
not how long it takes."""

import json
import os
import re
import subprocess
import sys
import time

import machine_code
from turns import commit

# NVIDIA's data sheet of the H100 SXM and the programming guide's table of compute capability 9.0: bytes a second of
# the memory, cycles a second, multiprocessors, warp instructions and passes through the banks of shared memory a
# cycle of a multiprocessor, warps that it holds.
GPU = {"name": "H100 SXM", "bytes": 3.35e12, "hertz": 1.98e9, "multiprocessors": 132, "instructions": 4,
       "shared": 1, "warps": 64}
TARGET = "sm_90a"  # whose machine code is shown beside the counts, which are of compute_80's PTX
SAMPLE = 64
SECTOR = 32


def count(command, library):
    environment = dict(os.environ, LD_LIBRARY_PATH=library, WEFT_SOFTGPU_SAMPLE=str(SAMPLE), OPENBLAS_NUM_THREADS="1")
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def short(kernel):
    """The kernel's name without namespaces and template arguments: the last word before them."""
    names, at = [], kernel.find("N") + 1
    while match := re.match(r"(\d+)", kernel[at:]):
        size = int(match.group(1))
        at += len(match.group(1))
        names.append(kernel[at:at + size])
        at += size
    return names[-1] if names else kernel[:20]


def bounds(launch):
    """Seconds, at the least, by what: of the whole launch where a sample of its blocks ran."""
    whole = launch["grid"] / launch["blocks_run"]
    a_second = GPU["hertz"] * min(GPU["multiprocessors"], launch["grid"])
    return {"memory": whole * SECTOR * (launch["distinct_loaded"] + launch["distinct_stored"]) / GPU["bytes"],
            "issue": whole * sum(launch["instructions"].values()) / (a_second * GPU["instructions"]),
            "shared": whole * (launch["shared_accesses"] + launch["bank_conflicts"]) / (a_second * GPU["shared"])}


def kernels(launches, code):
    """The launches of each kernel with the same grid, put together. code: of each kernel, as machine_code has it."""
    sums, order = {}, []
    for launch in launches:
        key = (launch["kernel"], launch["grid"], launch["threads"])
        if key not in sums:
            sums[key] = {"kernel": short(launch["kernel"]), "launches": 0, "bound_s": 0.0, **{
                k: launch[k] for k in ("grid", "threads", "blocks_run", "registers", "shared", "local_bytes")}}
            if launch["kernel"] in code:
                sums[key]["code"] = code[launch["kernel"]]
            sums[key]["occupancy"] = launch["blocks_a_multiprocessor"] * -(-launch["threads"] // 32) / GPU["warps"]
            order.append(key)
        into, bound = sums[key], bounds(launch)
        into["launches"] += 1
        into["bound_s"] += max(bound.values())
        into["bound_by"] = max(bound, key=bound.get)
        into["most_in_flight"] = max(into.get("most_in_flight", 0), launch["most_in_flight"])
        for k in ("sectors_loaded", "distinct_loaded", "sectors_stored", "distinct_stored", "shared_accesses",
                  "bank_conflicts", "barriers"):
            into[k] = into.get(k, 0) + launch[k]
        classes = into.setdefault("instructions", {})
        for name, number in launch["instructions"].items():
            classes[name] = classes.get(name, 0) + number
    return [sums[key] for key in order]


def ratio(asked, distinct):
    return f"{asked / distinct:.2f}" if distinct else "-"


def print_case(description, result):
    print(f'\n{description}: {len(result["kernels"])} kernels, {result["launches"]} steps')
    print("{:21}{:>4}{:>8}{:>5} {:>6} {:>6} {:>5}{:>6}{:>5} {:>10}".format(
        "kernel", "x", "blocks", "thr", "loads", "stores", "banks", "bytes", "occ", "bound, us"))
    for k in result["kernels"]:
        conflicts = 100 * k["bank_conflicts"] / k["shared_accesses"] if k["shared_accesses"] else 0
        print("{:21}{:>4}{:>8}{:>5} {:>6} {:>6} {:>4.0f}%{:>6}{:>4.0f}% {:>8.2f} {}".format(
            k["kernel"][:21], k["launches"], k["grid"], k["threads"], ratio(k["sectors_loaded"], k["distinct_loaded"]),
            ratio(k["sectors_stored"], k["distinct_stored"]), conflicts, k["most_in_flight"], 100 * k["occupancy"],
            1e6 * k["bound_s"], k["bound_by"][0]))


SHOWN = ["floating", "special", "convert", "tensor", "integer", "move", "global", "shared", "control"]


def print_code(kernels):
    rows, seen = [], set()
    for k in kernels:
        text = json.dumps(k.get("code"), sort_keys=True)
        if "code" in k and (k["kernel"], text) not in seen:
            seen.add((k["kernel"], text))
            rows.append((k["kernel"], k["code"]["ptx"], k["code"]["sass"]))
    if rows:
        print("{:21}{:>5}{:>6} ".format("in the code", "PTX", "SASS") + "".join(f"{name[:4]:>5}" for name in SHOWN))
    for kernel, ptx, sass in rows:
        print("{:21}{:>5}{:>6} ".format(kernel[:21], ptx, sum(sass.values())) +
              "".join(f"{sass.get(name, 0):>5}" for name in SHOWN))


def main(cases, program_of, folder, given):
    library = os.environ.get("WEFT_SOFTGPU_LIB", os.path.join(os.path.dirname(folder), "tests", "softgpu", "lib"))
    if not os.path.exists(os.path.join(library, "libcudart.so.13")):
        sys.exit(f"{library} holds no software device: run ./weft bench cuda --counted, which builds it")
    print(f'counted on a software device: bounds for an {GPU["name"]}, no times.\n'
          "loads, stores: sectors asked for, by different ones; banks: conflicts between\n"
          "banks, by accesses; bytes: what a thread may have in flight; occ: warps that fit;\n"
          "bound: the least time of m, memory's sectors, i, instructions, s, shared memory.\n"
          "in the code: instructions of the PTX and of sm_90a's machine code, by class"
          + (";\nleft out here: no cuobjdump was found." if machine_code.cuobjdump() is None else "."))
    results = []
    for name, description, *_ in cases:
        if (given.case and name not in given.case) or name in ("copy", "product_f32", "product_bf16"):
            continue
        command = program_of(folder, name)
        counted = count(command, library)
        result = {"case": name, "description": description, "launches": counted["launches"],
                  "planned_bytes": counted["bytes"], "flops": counted["flops"],
                  "kernels": kernels(counted["counted"], machine_code.code_of(command[0], TARGET))}
        results.append(result)
        print_case(description, result)
        print_code(result["kernels"])
        sys.stdout.flush()
    if given.json:
        document = {"benchmark": "cuda, counted", "what": "counted on a software device; bounds, no times",
                    "command": "./weft bench cuda --counted --json FILE", "commit": commit(),
                    "date": time.strftime("%Y-%m-%d"), "compiled_for": "compute_80",
                    "machine_code_of": TARGET if machine_code.cuobjdump() else None, "bounds_for": GPU,
                    "sampled": f"the first block, the last and {SAMPLE} between of each launch", "results": results}
        with open(given.json, "w") as file:
            json.dump(document, file, indent=1)
            file.write("\n")
