#!/usr/bin/env python3
"""LeNet step, one thread: our engine beside the same model in PyTorch's Python loop, in turns.

usage: lenet_step.py build/release/lenet_step_bench   (needs a Python with torch; pinned to one core with taskset)
Prints medians of both and their ratio, which must be at most 0.9. Processor time leaves out what neighbours on the
machine take.
"""
import statistics
import subprocess
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH, STEPS, ROUNDS, TURNS = 32, 50, 6, 8


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, padding=2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(400, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = F.relu(self.fc1(x.flatten(1)))
        x = F.relu(self.fc2(x))
        return self.fc3(x)


def main():
    torch.set_num_threads(1)
    torch.manual_seed(1)
    model = LeNet()
    assert sum(p.numel() for p in model.parameters()) == 61706
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    inputs, targets = torch.randn(4000, 1, 28, 28), torch.randint(10, (4000,))

    def step():
        pick = torch.randint(4000, (BATCH,))
        optimizer.zero_grad()
        loss = F.cross_entropy(model(inputs[pick]), targets[pick])
        loss.backward()
        optimizer.step()
        return loss.item()

    def python_rounds():
        for _ in range(ROUNDS):
            wall, processor = time.perf_counter(), time.process_time()
            for _ in range(STEPS):
                step()
            yield ((time.perf_counter() - wall) * 1e3 / STEPS, (time.process_time() - processor) * 1e3 / STEPS)

    def our_rounds():
        out = subprocess.run([sys.argv[1], str(ROUNDS)], check=True, capture_output=True, text=True).stdout
        return [tuple(float(word) for word in line.split()) for line in out.splitlines()]

    for _ in range(20):
        step()
    python, ours = [], []
    for _ in range(TURNS):
        python += python_rounds()
        ours += our_rounds()
    for name, column in (("wall", 0), ("processor", 1)):
        mine, theirs = (statistics.median(row[column] for row in rows) for rows in (ours, python))
        print(f"{name:9} ours {mine:.3f} ms, PyTorch's Python loop {theirs:.3f} ms, ratio {mine / theirs:.3f}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
