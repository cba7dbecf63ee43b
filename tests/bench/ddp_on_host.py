#!/usr/bin/env python3
"""One rank of PyTorch's DistributedDataParallel over Gloo, with the settings of overlap_bench.sh: ResNet-18 for CIFAR,
BATCH=16, SGD with momentum 0.9, one thread.

usage: ddp_on_host.py none|fp16|quantization STEPS     (RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT, GLOO_SOCKET_IFNAME)

The hook is PyTorch's own. Rank 0 prints one JSON line: time per step over all steps after a quarter of warm-up.
"""
import json
import os
import sys
import time

import torch
import torch.nn as nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks, quantization_hooks

PARAMETERS = 11_173_962


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.norm1, self.norm2 = nn.BatchNorm2d(outputs), nn.BatchNorm2d(outputs)
        self.shortcut = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        y = self.norm2(self.conv2(torch.relu_(self.norm1(self.conv1(x)))))
        return torch.relu_(y + self.shortcut(x))


def resnet18():
    blocks, inputs = [], 64
    for stage in range(4):
        for i in range(2):
            blocks.append(Block(inputs, 64 << stage, 2 if stage > 0 and i == 0 else 1))
            inputs = 64 << stage
    return nn.Sequential(nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True), *blocks,
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 10))


def main():
    hook, steps = sys.argv[1], int(sys.argv[2])
    torch.set_num_threads(1)
    torch.manual_seed(1)
    torch.distributed.init_process_group("gloo")
    model = resnet18()
    assert sum(p.numel() for p in model.parameters()) == PARAMETERS
    ddp = nn.parallel.DistributedDataParallel(model, gradient_as_bucket_view=True)
    if hook != "none":
        ddp.register_comm_hook(None, {"fp16": default_hooks.fp16_compress_hook,
                                      "quantization": quantization_hooks.quantization_pertensor_hook}[hook])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    batch = int(os.environ.get("BATCH", 16))
    inputs, targets = torch.randn(4 * batch, 3, 32, 32), torch.randint(10, (4 * batch,))
    warm_up = max(1, steps // 4)
    for k in range(steps):
        if k == warm_up:
            torch.distributed.barrier()
            began = time.perf_counter()
        first = batch * (k % 4)
        optimizer.zero_grad()
        nn.functional.cross_entropy(ddp(inputs[first:first + batch]), targets[first:first + batch]).backward()
        optimizer.step()
    torch.distributed.barrier()
    taken = (time.perf_counter() - began) / (steps - warm_up)
    if os.environ["RANK"] == "0":
        print(json.dumps({"step_ms": taken * 1e3}))
    torch.distributed.destroy_process_group()


main()
