"""The cases of `./weft bench scale` in PyTorch: `peer.py` says its version, `peer.py NAME RANKS` trains on so many processes of one thread
each, connected by gloo, under DistributedDataParallel. Speaks as benchmarks/scale/ranks.hpp does."""

import json
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True


def read_seconds(rank):
    """What rank 0's stdin asks for, on all ranks; 0: it has ended."""
    found = torch.zeros(1, dtype=torch.float64)
    if rank == 0:
        line = sys.stdin.readline().split()
        found[0] = float(line[1]) if line else 0
    dist.broadcast(found, 0)
    return float(found)


def times(run, count):
    """Seconds of each run: of the rank that took longest."""
    found = torch.zeros(count, dtype=torch.float64)
    dist.barrier()
    for k in range(count):
        start = time.perf_counter()
        run()
        found[k] = time.perf_counter() - start
    dist.all_reduce(found, dist.ReduceOp.MAX)
    return found.tolist()


def case(name):
    if name == "mlp":
        model = torch.nn.Sequential(torch.nn.Linear(784, 512), torch.nn.ReLU(), torch.nn.Linear(512, 256),
                                    torch.nn.ReLU(), torch.nn.Linear(256, 10))
        x, y, most = torch.randn(128, 784), torch.randint(0, 10, (128,)), None
    else:
        model = Gpt(128)
        x, y, most = torch.randint(0, 128, (32, 128)), torch.randint(0, 128, (32 * 128,)), 1.0
    model = torch.nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01, fused=True)

    def run():
        optimizer.zero_grad(set_to_none=True)
        F.cross_entropy(model(x).flatten(0, -2), y).backward()
        if most:
            torch.nn.utils.clip_grad_norm_(model.parameters(), most)
        optimizer.step()

    return run


def main():
    if len(sys.argv) < 2:
        print(json.dumps({"torch": torch.__version__}))
        return
    name, ranks, rank = sys.argv[1], int(sys.argv[2]), int(os.environ.get("RANK", "0"))
    others = []
    if rank == 0:
        os.environ.update(RANK="0", WORLD_SIZE=str(ranks), MASTER_ADDR="127.0.0.1", MASTER_PORT="29511")
        for other in range(1, ranks):
            others.append(subprocess.Popen([sys.executable] + sys.argv, env={**os.environ, "RANK": str(other)},
                                           stdin=subprocess.DEVNULL))
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[rank]})  # a core each, as mpirun binds
    dist.init_process_group("gloo")
    torch.set_num_threads(1)
    run = case(name)
    once = statistics.median(times(run, 10))
    if rank == 0:
        print(json.dumps({"ms": 1e3 * once, "runs": 10}), flush=True)
    while seconds := read_seconds(rank):
        count = max(3, int(seconds / once))  # the same on all ranks, as `once` is
        once = statistics.median(times(run, count))
        if rank == 0:
            print(json.dumps({"ms": 1e3 * once, "runs": count}), flush=True)
    dist.barrier()
    for other in others:
        other.wait()
    os._exit(0)  # gloo's threads may end a process that takes them down


if __name__ == "__main__":
    import torch
    import torch.distributed as dist
    import torch.nn.functional as F

    sys.path.insert(0, os.path.join(os.path.dirname(HERE), "host"))
    from peer import Gpt

    main()
