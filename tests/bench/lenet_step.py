#!/usr/bin/env python3
"""LeNet step, one thread: our engine beside the same model in PyTorch's Python loop, in turns.

usage: lenet_step.py build/release/lenet_step_bench   (needs a Python with torch; pinned to one core with taskset)
The Python loop runs twice: with the graph of our model, which pools before ReLU (the values are equal, and ReLU sees a
quarter of the elements) and applies ReLU in place, and with the textbook's, ReLU before pooling. Prints the medians and
both ratios; the one with the same graph on both sides must be at most 0.9. Processor time leaves out what other
programs on the machine take.
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
    def __init__(self, as_ours):
        super().__init__()
        self.as_ours = as_ours
        self.conv1 = nn.Conv2d(1, 6, 5, padding=2)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(400, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def activate(self, x):
        return F.relu_(F.max_pool2d(x, 2)) if self.as_ours else F.max_pool2d(F.relu(x), 2)

    def forward(self, x):
        x = self.activate(self.conv1(x))
        x = self.activate(self.conv2(x))
        x = F.relu(self.fc1(x.flatten(1)), inplace=self.as_ours)
        x = F.relu(self.fc2(x), inplace=self.as_ours)
        return self.fc3(x)


def python_step(as_ours, inputs, targets):
    """One training step of a new model, as a function."""
    model = LeNet(as_ours)
    assert sum(p.numel() for p in model.parameters()) == 61706
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)

    def step():
        pick = torch.randint(4000, (BATCH,))
        optimizer.zero_grad()
        loss = F.cross_entropy(model(inputs[pick]), targets[pick])
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def python_rounds(step):
    for _ in range(ROUNDS):
        wall, processor = time.perf_counter(), time.process_time()
        for _ in range(STEPS):
            step()
        yield ((time.perf_counter() - wall) * 1e3 / STEPS, (time.process_time() - processor) * 1e3 / STEPS)


def our_rounds():
    out = subprocess.run([sys.argv[1], str(ROUNDS)], check=True, capture_output=True, text=True).stdout
    return [tuple(float(word) for word in line.split()) for line in out.splitlines()]


def main():
    torch.set_num_threads(1)
    torch.manual_seed(1)
    inputs, targets = torch.randn(4000, 1, 28, 28), torch.randint(10, (4000,))
    loops = {
        "the same graph": python_step(True, inputs, targets),
        "the textbook's graph": python_step(False, inputs, targets),
    }
    rows = {name: [] for name in ("ours", *loops)}
    for step in loops.values():
        for _ in range(20):
            step()
    for _ in range(TURNS):
        for name, step in loops.items():
            rows[name] += python_rounds(step)
        rows["ours"] += our_rounds()
    for name, column in (("wall", 0), ("processor", 1)):
        median = {who: statistics.median(row[column] for row in of) for who, of in rows.items()}
        for loop in loops:
            print(
                f"{name:9} ours {median['ours']:.3f} ms, PyTorch's Python loop with {loop} {median[loop]:.3f} ms, "
                f"ratio {median['ours'] / median[loop]:.3f}"
            )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
