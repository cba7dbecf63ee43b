#!/usr/bin/env python3
"""A model's training step, one thread: our engine beside the same model in PyTorch's Python loop, in turns.

usage: model_step.py lenet|resnet50|vgg16 build/release/model_step_bench
(needs a Python with torch; pinned to one core with taskset)
The Python loop runs with up to two graphs: with that of our model, which pools before ReLU (the values are equal, and
ReLU sees fewer elements) and applies ReLU in place, and for LeNet also with the textbook's, ReLU before pooling. Every
turn is a process of its own on both sides. Prints the medians of wall and processor time and of the largest memory, and
their ratios; with the same graph on both sides those of LeNet must be at most 0.9, the others' at most 1.0. Processor
time leaves out what other programs on the machine take. Memory is all that a process has, libraries and interpreter
included. Last, of one turn each, the memory of our engine with DaSGD's blend and with its delta, as so many copies of
the parameters, N, above the Python loop: at most 1 and 2.
"""
import resource
import statistics
import subprocess
import sys
import time

# Batch, samples to draw from, steps a round, rounds a turn, turns, warm-up steps.
SIZES = {
    "lenet": (32, 4000, 50, 6, 8, 20),
    "resnet50": (8, 16, 2, 2, 5, 2),
    "vgg16": (4, 8, 2, 2, 5, 2),
}
PARAMETERS = {"lenet": 61_706, "resnet50": 25_557_032, "vgg16": 138_357_544}


def lenet(nn, F, as_ours):
    def activate(x):
        return F.relu_(F.max_pool2d(x, 2)) if as_ours else F.max_pool2d(F.relu(x), 2)

    class LeNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1, self.conv2 = nn.Conv2d(1, 6, 5, padding=2), nn.Conv2d(6, 16, 5)
            self.fc1, self.fc2, self.fc3 = nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, 10)

        def forward(self, x):
            x = activate(self.conv2(activate(self.conv1(x)))).flatten(1)
            x = F.relu(self.fc1(x), inplace=as_ours)
            return self.fc3(F.relu(self.fc2(x), inplace=as_ours))

    return LeNet(), (1, 28, 28), 10


def resnet50(nn, F, _):
    def conv_norm(inputs, outputs, kernel, stride=1):
        conv = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False)
        return nn.Sequential(conv, nn.BatchNorm2d(outputs))

    class Bottleneck(nn.Module):
        def __init__(self, inputs, width, stride):
            super().__init__()
            self.reduce, self.expand = conv_norm(inputs, width, 1), conv_norm(width, 4 * width, 1)
            self.middle = conv_norm(width, width, 3, stride)
            self.shortcut = conv_norm(inputs, 4 * width, 1, stride) if inputs != 4 * width else nn.Identity()

        def forward(self, x):
            y = self.expand(F.relu_(self.middle(F.relu_(self.reduce(x)))))
            y += self.shortcut(x)
            return F.relu_(y)

    class ResNet50(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem, blocks, inputs = conv_norm(3, 64, 7, 2), [], 64
            for stage, count in enumerate((3, 4, 6, 3)):
                for i in range(count):
                    blocks.append(Bottleneck(inputs, 64 << stage, 2 if stage > 0 and i == 0 else 1))
                    inputs = 4 * (64 << stage)
            self.blocks, self.fc = nn.Sequential(*blocks), nn.Linear(inputs, 1000)

        def forward(self, x):
            x = self.blocks(F.relu_(F.max_pool2d(self.stem(x), 3, 2, 1)))
            return self.fc(F.adaptive_avg_pool2d(x, 1).flatten(1))

    return ResNet50(), (3, 224, 224), 1000


def vgg16(nn, F, _):
    class Vgg16(nn.Module):
        def __init__(self):
            super().__init__()
            self.stages, inputs = nn.ModuleList(), 3
            for count, outputs in ((2, 64), (2, 128), (3, 256), (3, 512), (3, 512)):
                channels = [inputs] + [outputs] * count
                convolutions = (nn.Conv2d(*pair, 3, padding=1) for pair in zip(channels, channels[1:]))
                self.stages.append(nn.ModuleList(convolutions))
                inputs = outputs
            self.fc1, self.fc2, self.fc3 = nn.Linear(25088, 4096), nn.Linear(4096, 4096), nn.Linear(4096, 1000)

        def forward(self, x):
            for *first, last in self.stages:
                for conv in first:
                    x = F.relu_(conv(x))
                x = F.relu_(F.max_pool2d(last(x), 2))
            x = F.dropout(F.relu_(self.fc1(x.flatten(1))), 0.5, self.training)
            x = F.dropout(F.relu_(self.fc2(x)), 0.5, self.training)
            return self.fc3(x)

    return Vgg16(), (3, 224, 224), 1000


def python_turn(name, as_ours):
    """One turn of PyTorch's loop: what the C++ program prints."""
    import torch
    import torch.nn as nn
    import torch.nn.functional as F

    torch.set_num_threads(1)
    torch.manual_seed(1)
    batch, samples, steps, rounds, _, warm_up = SIZES[name]
    model, shape, classes = {"lenet": lenet, "resnet50": resnet50, "vgg16": vgg16}[name](nn, F, as_ours)
    assert sum(p.numel() for p in model.parameters()) == PARAMETERS[name]
    inputs, targets = torch.randn(samples, *shape), torch.randint(classes, (samples,))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)

    def step():
        pick = torch.randint(samples, (batch,))
        optimizer.zero_grad()
        loss = F.cross_entropy(model(inputs[pick]), targets[pick])
        loss.backward()
        optimizer.step()
        return loss.item()

    for _ in range(warm_up):
        step()
    for _ in range(rounds):
        wall, processor = time.perf_counter(), time.process_time()
        for _ in range(steps):
            step()
        print((time.perf_counter() - wall) * 1e3 / steps, (time.process_time() - processor) * 1e3 / steps)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def turn(command):
    """Rows of wall and processor time, and the largest memory."""
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return [tuple(float(word) for word in line.split()) for line in lines[:-1]], float(lines[-1])


def main(name, bench):
    batch, samples, steps, rounds, turns, warm_up = SIZES[name]
    python = [sys.executable, __file__, "--python", name]
    ours = [bench, name, *(str(n) for n in (batch, samples, steps, rounds, warm_up))]
    programs = {"ours": ours, "the same graph": [*python, "ours"]}
    if name == "lenet":
        programs["the textbook's graph"] = [*python, "textbook"]
    columns = {who: ([], [], []) for who in programs}
    for _ in range(turns):
        for who, command in programs.items():
            rows, memory = turn(command)
            columns[who][0].extend(row[0] for row in rows)
            columns[who][1].extend(row[1] for row in rows)
            columns[who][2].append(memory)
    print(f"{name}, batch {batch}, one thread; medians of {turns} turns of {rounds} rounds of {steps} steps")
    for i, (what, unit) in enumerate((("wall", "ms"), ("processor", "ms"), ("memory", "MB"))):
        median = {who: statistics.median(of[i]) for who, of in columns.items()}
        for loop in list(programs)[1:]:
            print(
                f"{what:9} ours {median['ours']:.3f} {unit}, PyTorch's Python loop with {loop} "
                f"{median[loop]:.3f} {unit}, ratio {median['ours'] / median[loop]:.3f}"
            )
    copy = PARAMETERS[name] * 4 / 2**20
    loop = statistics.median(columns["the same graph"][2])
    for merge, most in (("blend", 1), ("delta", 2)):
        _, memory = turn([*ours, merge])
        copies = f"{(memory - loop) / copy:+.2f} N, at most +{most} N"
        print(f"memory    ours with {merge} {memory:.1f} MB, the Python loop's {copies}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--python"]:
        python_turn(sys.argv[2], sys.argv[3] == "ours")
    elif len(sys.argv) == 3 and sys.argv[1] in SIZES:
        main(*sys.argv[1:])
    else:
        sys.exit(__doc__)
