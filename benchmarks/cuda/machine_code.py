"""How many instructions of each class stand in the machine code of a program's kernels, and in the PTX that it was made
of, as NVIDIA's cuobjdump prints them. `pip install nvidia-cuda-cuobjdump nvidia-cuda-nvdisasm` has it where a toolkit
has not."""

import functools
import glob
import os
import re
import shutil
import site
import subprocess

# By the first word of an instruction, in this order; what is none of these is "integer".
CLASSES = [
    ("global", r"LDG|STG|LD|ST|LDGSTS|RED|REDG|ATOM|ATOMG|UBLKCP|UTMALDG|UTMASTG"),
    ("shared", r"LDS|STS|LDSM|STSM|ATOMS"),
    ("local", r"LDL|STL"),
    ("tensor", r"[HIDBQ]MMA|[HIQ]GMMA|WARPGROUP.*"),
    ("special", r"MUFU"),
    ("floating", r"[FDH](ADD|MUL|FMA|SETP?|SEL|MNMX|CHK|SWZADD|RND).*|HMNMX2|F2FP"),
    ("convert", r"F2F|F2I|I2F|I2I|I2FP|F2IP|FRND"),
    ("exchange", r"SHFL|VOTE|VOTEU|MATCH|REDUX"),
    ("control", r"BRA|BRX|JMP|EXIT|RET|CALL|BAR|BSSY|BSYNC|BREAK|WARPSYNC|NANOSLEEP|DEPBAR|LDGDEPBAR|MEMBAR|ERRBAR|FENCE|"
                r"YIELD|SYNCS|CCTL|KILL|BMOV|BPT"),
    ("move", r"MOV|UMOV|S2R|S2UR|CS2R|R2UR|R2P|P2R|LDC|ULDC|PRMT|SEL|USEL|IMAD\.MOV.*"),
]
_CLASSES = [(name, re.compile(rf"(?:{words})(?:\.|$)")) for name, words in CLASSES]


def cuobjdump():
    """Its path, or None."""
    homes = [os.environ.get("CUDA_PATH", ""), "/usr/local/cuda"]
    places = [os.path.join(home, "bin") for home in homes if home]
    for packages in [*site.getsitepackages(), site.getusersitepackages()]:
        places += glob.glob(os.path.join(packages, "nvidia", "*", "bin"))
    found = shutil.which("cuobjdump")
    for place in places:
        found = found or shutil.which("cuobjdump", path=place)
    return found


def class_of(opcode):
    return next((name for name, words in _CLASSES if words.match(opcode)), "integer")


def machine_instructions(text):
    """Of what `cuobjdump -sass` prints of one target: for each kernel, instructions by class. What fills a kernel's end
    (NOP, and a branch to itself) is left out."""
    kernels, kernel = {}, None
    for line in text.splitlines():
        if match := re.match(r"\s*Function : (\S+)", line):
            kernel = kernels.setdefault(match.group(1), {})
        elif kernel is not None and (match := re.match(r"\s*/\*([0-9a-f]{4,})\*/\s+(?:@!?U?P\w+ )?([A-Z][\w.]*)(.*)", line)):
            at, opcode, operands = match.groups()
            if opcode == "NOP" or (opcode == "BRA" and int(at, 16) == _target(operands)):
                continue
            kernel[class_of(opcode)] = kernel.get(class_of(opcode), 0) + 1
    return kernels


def _target(operands):
    match = re.search(r"0x([0-9a-f]+)", operands)
    return int(match.group(1), 16) if match else None


def ptx_instructions(text):
    """Of what `cuobjdump -ptx` prints: how many instructions stand in each kernel."""
    kernels, kernel = {}, None
    for line in text.splitlines():
        if match := re.match(r"\s*(?:\.visible |\.weak )?\.entry (\w+)", line):
            kernel = match.group(1)
            kernels[kernel] = 0
        elif line.startswith("}"):
            kernel = None
        elif kernel and re.match(r"\s*(?:@!?%\w+ )?[a-z][\w.]*[^:]*;", line) and not re.match(r"\s*\.", line):
            kernels[kernel] += 1
    return kernels


@functools.lru_cache
def code_of(program, target):
    """{kernel: {"ptx": instructions, "sass": {class: instructions}}} of a program's code for `target`, such as "sm_80";
    {} without a disassembler."""
    tool = cuobjdump()
    if tool is None:
        return {}
    environment = dict(os.environ, PATH=os.path.dirname(tool) + os.pathsep + os.environ.get("PATH", ""))

    def said(*options):
        done = subprocess.run([tool, *options, program], capture_output=True, text=True, env=environment)
        return done.stdout if done.returncode == 0 else ""

    ptx = ptx_instructions(said("-ptx"))
    return {kernel: {"ptx": ptx.get(kernel, 0), "sass": classes}
            for kernel, classes in machine_instructions(said("-sass", "-arch", target)).items()}
