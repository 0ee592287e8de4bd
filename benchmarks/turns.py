"""What benchmarks/*/run share: programs that take turns, each holding one case (host/worker.hpp has the protocol)."""

import json
import os
import platform
import shutil
import statistics
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def environment(threads, peer):
    """The fast settings: no pinned OpenBLAS kernels, equal threads; a large temporary must not fault its pages."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("OPENBLAS_", "OMP_", "GOMP_", "MKL_", "KMP_"))}
    env["OMP_NUM_THREADS"] = env["MKL_NUM_THREADS"] = str(threads)
    if peer:
        env["MALLOC_MMAP_THRESHOLD_"] = "8589934592"
        env["MALLOC_TRIM_THRESHOLD_"] = "17179869184"
        env["MALLOC_TOP_PAD_"] = "67108864"
    return env


def busy_ticks():
    """Of all processors since the machine started: everything but idle and waiting, what the host took included."""
    try:
        with open("/proc/stat") as file:
            t = [int(word) for word in file.readline().split()[1:9]]
    except OSError:
        return 0
    return sum(t) - t[3] - t[4]


def ticks_of(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            words = file.read().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(words[11]) + int(words[12])


class Worker:
    def __init__(self, command, env):
        self.process = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ms, self.floor = [], []
        self.facts = self.read()

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("a benchmark ended early: " + " ".join(self.process.args))
        return json.loads(line)

    def turn(self, seconds):
        """Returns the answer, and the share of the processors that others had meanwhile."""
        time.sleep(0.02)  # until the other's waiting threads have gone to sleep
        start, busy, own = time.monotonic(), busy_ticks(), ticks_of(self.process.pid)
        answer = self.ask(f"run {seconds}")
        ticks = (time.monotonic() - start) * os.sysconf("SC_CLK_TCK") * os.cpu_count()
        others = busy_ticks() - busy - (ticks_of(self.process.pid) - own)
        return answer, max(0.0, others / ticks)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.read()

    def keep(self, answer):
        self.ms.append(answer["ms"])
        if "floor_ms" in answer:
            self.floor.append(answer["floor_ms"])

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def output_of(command, env=None):
    try:
        return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


def find_peer(script, env=None):
    """A Python in which `script` runs, and what it says of itself when it is asked for no case; None, None without PyTorch."""
    for python in (os.environ.get("WEFT_PYTHON"), "python3"):
        path = python and shutil.which(python)
        answer = path and output_of([path, script], env)
        if answer:
            return path, json.loads(answer)
    return None, None


def cpu_name():
    try:
        with open("/proc/cpuinfo") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def commit():
    found = output_of(["git", "-C", ROOT, "rev-parse", "HEAD"]).strip()
    changed = output_of(["git", "-C", ROOT, "status", "--porcelain", "--untracked-files=no"]).strip()
    return found + (" (changed)" if changed else "") if found else "unknown"


def summary(worker):
    found = {"ms": statistics.median(worker.ms), "ms_range": [min(worker.ms), max(worker.ms)], **worker.facts}
    if worker.floor:
        found["floor_ms"] = statistics.median(worker.floor)
    return found


def number(x):
    return f"{x:.3g}" if x < 100 else f"{x:.0f}"
