#!/usr/bin/env python3
"""PyTorch's own loop on GPUs with the settings of our runs: one rank eager, or several with DistributedDataParallel.

usage: peers.py eager|ddp --model resnet50|lenet --batch 64 --steps 48 --autocast off|bfloat16 --channels-last 0|1
                --ranks 4 --gpus 1
Samples lie on the device, SGD has momentum 0.9, the loss is read at no step: as in our runs. Prints one JSON line: time
per step over all steps but a quarter of warm-up, of the slowest rank, and samples/s of all ranks.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from model_step import PARAMETERS, lenet, resnet50  # noqa: E402

LIMIT_S = 100


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=["eager", "ddp"])
    parser.add_argument("--model", choices=["resnet50", "lenet"], required=True)
    parser.add_argument("--autocast", choices=["off", "bfloat16"], default="off")
    for name, default in (("batch", 64), ("steps", 48), ("channels-last", 0), ("ranks", 1), ("gpus", 1), ("rank", -1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--meeting", default="")
    return parser.parse_args()


def train(chosen):
    """Seconds per step of this rank."""
    import torch
    import torch.nn as nn
    import torch.nn.functional as F

    device = torch.device("cuda", max(chosen.rank, 0) * chosen.gpus // chosen.ranks)
    torch.cuda.set_device(device)
    # As train.tf32 = false of our runs; cuDNN's default is on.
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    torch.manual_seed(1)
    model, shape, classes = {"lenet": lenet, "resnet50": resnet50}[chosen.model](nn, F, True)
    assert sum(p.numel() for p in model.parameters()) == PARAMETERS[chosen.model]
    layout = torch.channels_last if chosen.channels_last else torch.contiguous_format
    model = model.to(device, memory_format=layout)
    if chosen.kind == "ddp":
        torch.distributed.init_process_group("nccl", init_method=f"file://{chosen.meeting}", rank=chosen.rank,
                                             world_size=chosen.ranks, device_id=device)
        model = nn.parallel.DistributedDataParallel(model, device_ids=[device.index], gradient_as_bucket_view=True)
    count = 4 * chosen.batch
    inputs = torch.randn(count, *shape, device=device).to(memory_format=layout)
    targets = torch.randint(classes, (count,), device=device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)

    def step(k):
        first = k * chosen.batch % count
        optimizer.zero_grad()
        with torch.autocast("cuda", torch.bfloat16, enabled=chosen.autocast == "bfloat16"):
            output = model(inputs[first:first + chosen.batch])
        F.cross_entropy(output.float(), targets[first:first + chosen.batch]).backward()
        optimizer.step()

    warm_up = chosen.steps // 4
    for k in range(warm_up):
        step(k)
    torch.cuda.synchronize()
    began = time.perf_counter()
    for k in range(warm_up, chosen.steps):
        step(k)
    torch.cuda.synchronize()
    taken = (time.perf_counter() - began) / (chosen.steps - warm_up)
    if chosen.kind == "ddp":
        torch.distributed.destroy_process_group()
    return taken


def all_ranks(chosen):
    """The slowest rank's seconds per step; every rank is a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        own = [sys.executable, __file__, *sys.argv[1:], "--meeting", f"{folder}/meeting", "--rank"]
        ranks = [subprocess.Popen([*own, str(rank)], stdout=subprocess.PIPE, text=True) for rank in range(chosen.ranks)]
        last = time.monotonic() + LIMIT_S
        try:
            said = [rank.communicate(timeout=max(1, last - time.monotonic()))[0] for rank in ranks]
        finally:
            for rank in ranks:
                rank.kill()
                rank.wait()
        if any(rank.returncode for rank in ranks):
            sys.exit("a rank of PyTorch's failed: exit " + ", ".join(str(rank.returncode) for rank in ranks))
        return max(float(text.splitlines()[-1]) for text in said)  # NCCL may say its version first


def main():
    chosen = arguments()
    if chosen.ranks > chosen.gpus:
        os.environ["NCCL_MULTI_RANK_GPU_ENABLE"] = "1"
        # As ours (core/backends/gpu_backend.cpp): by its default NCCL has room for two ranks on a GPU, and more hang.
        os.environ.setdefault("NCCL_MAX_CTAS", str(max(1, 16 // -(-chosen.ranks // chosen.gpus))))
        os.environ.setdefault("NCCL_NET_GDR_LEVEL", "LOC")
    if chosen.rank >= 0:
        print(train(chosen))
        return
    taken = train(chosen) if chosen.kind == "eager" else all_ranks(chosen)
    print(json.dumps({"step_ms": taken * 1e3, "samples_per_s": chosen.ranks * chosen.batch / taken}))


if __name__ == "__main__":
    main()
