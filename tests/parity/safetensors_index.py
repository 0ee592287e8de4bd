#!/usr/bin/env python3
# Writes tests/parity/safetensors/sharded: a state_dict in files of at most 600 bytes with their index, by
# huggingface_hub, as transformers' save_pretrained writes large models. Needs torch and huggingface_hub.
import pathlib
import shutil
import sys

import torch
from huggingface_hub import save_torch_state_dict

folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "safetensors/sharded")
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)


def values(*shape, dtype=torch.float32):
    count = torch.Size(shape).numel()
    return (torch.arange(count, dtype=torch.float32) / 8 - 3).reshape(shape).to(dtype)


save_torch_state_dict(
    {
        "fc1.weight": values(16, 8),
        "fc1.bias": values(16),
        "fc2.weight": values(3, 16),
        "fc2.bias": values(3),
        "steps": torch.tensor(7),
    },
    folder,
    max_shard_size=600,
)
