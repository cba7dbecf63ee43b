#!/usr/bin/env python3
"""How long training stands still for a checkpoint.

usage: checkpoint_bench.py [--model resnet50] [--batch 8] [--every 12] [--checkpoints 6] [--build build/release]

Trains MODEL (ResNet-50: 25.6 M parameters, 224² samples made up) with DaSGD on two ranks of one core each, and saves every
EVERY steps, all within one run. A step lasts from the start of its forward pass to that of the next. What a checkpoint costs
is what the steps from the one behind which it is made to halfway to the next one take longer than as many median steps of the
other halves. A thread writes it meanwhile; how long that took at most is printed, as none may reach into the other half. Prints
each, the largest and the median one as shares of a median step, and how long the training thread itself stood still. Needs
`./lab build`.
"""
import argparse
import os
import pathlib
import sqlite3
import statistics
import subprocess
import sys
import tempfile

EXPERIMENT = """
name = "checkpoint"
[algorithm]
name = "dasgd"
period = 4
delay = 1
[model]
name = "{model}"
[data]
name = "synthetic"
train_samples = {samples}
test_samples = {batch}
[train]
steps = {steps}
batch_size = {batch}
eval_every = {steps}
{checkpoint}
[optimizer]
learning_rate = 0.01
momentum = 0.9
[cluster]
backend = "gloo"
workers = 2
threads_per_worker = 1
"""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="resnet50")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--every", type=int, default=12)
    parser.add_argument("--checkpoints", type=int, default=6)
    parser.add_argument("--build", default="build/release")
    return parser.parse_args()


def train(options, folder):
    """The workspace of a run with a stretch without checkpoints in front: its database."""
    steps = options.every * (options.checkpoints + 1)
    file = folder / "checkpoint.toml"
    file.write_text(EXPERIMENT.format(model=options.model, batch=options.batch, steps=steps, samples=4 * options.batch,
                                      checkpoint=f'checkpoint = {{ every = "{options.every} steps", keep = {options.checkpoints} }}'))
    command = [pathlib.Path(options.build) / "dasgd", "run", file, "-w", folder / "w", "-q"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        sys.exit(f"checkpoint_bench.py: {ended.stderr.strip()}")
    return folder / "w" / "lab.db"


def spans(database, kind):
    """{rank: [(step, start, end), …]}, by start."""
    found = {}
    rows = sqlite3.connect(f"file:{database}?mode=ro", uri=True).execute(
        "SELECT rank, step, start_ns, end_ns FROM span_list WHERE kind = ? ORDER BY start_ns", (kind,))
    for rank, step, start, end in rows:
        found.setdefault(rank, []).append((step, start, end))
    return found


def stalls_of(steps, saved, half):
    """Of one rank: seconds of a median step that no checkpoint touches, those steps, and of each checkpoint the stall."""
    begins = {step: start for step, start, _ in steps}
    lasts = {step: (begins[step + 1] - start) * 1e-9 for step, start in begins.items() if step + 1 in begins}
    made = sorted({step for step, _, _ in saved})
    touched = {step + more for step in made for more in range(half)}
    quiet = [last for step, last in lasts.items() if step not in touched and step > 3]
    median = statistics.median(quiet)
    stalls = []
    for step in made:
        during = [lasts[step + more] for more in range(half) if step + more in lasts]
        if len(during) == half:
            stalls.append(sum(during) - half * median)
    return median, quiet, stalls


def seconds_written(workspace):
    """Of each checkpoint that is left, from its first file to the last."""
    written = []
    for step in sorted(workspace.glob("runs/*/checkpoints/step-*")):
        times = [file.stat().st_mtime for file in step.iterdir()]
        written.append(max(times) - min(times))
    return written


def main():
    options = arguments()
    if (os.cpu_count() or 1) < 2:
        sys.exit("checkpoint_bench.py: two cores are needed, one a rank")
    with tempfile.TemporaryDirectory(prefix="dasgd-bench.") as folder:
        database = train(options, pathlib.Path(folder))
        forwards, saved = spans(database, "forward"), spans(database, "checkpoint")
        bytes_of = max((sum(file.stat().st_size for file in step.iterdir())
                        for step in (database.parent / "runs").glob("*/checkpoints/step-*")), default=0)
        written = max(seconds_written(database.parent), default=0)
    shares, still = [], []
    for rank in sorted(saved):
        median, quiet, stalls = stalls_of(forwards[rank], saved[rank], options.every // 2)
        spread = f"{min(quiet) / median:.3f} … {max(quiet) / median:.3f} of it"
        print(f"rank {rank}: step {median * 1e3:.0f} ms, median of {len(quiet)} without a checkpoint ({spread}); "
              "longer [ms] " + " ".join(f"{stall * 1e3:.0f}" for stall in stalls))
        spans_ms = [(end - start) * 1e-6 for _, start, end in saved[rank]]
        print(f"    of them the checkpoint itself, in the training thread [ms] " +
              " ".join(f"{span:.0f}" for span in spans_ms))
        shares += [stall / median for stall in stalls]
        still += [span * 1e-3 / median for span in spans_ms]
    print(f"written within {written:.1f} s of the {options.every // 2 * median:.1f} s of a half")
    print(f"longer in all ÷ step: median {statistics.median(shares):.3f}, largest {max(shares):.3f}, n = {len(shares)}; "
          f"training stands still {min(still):.3f} … {max(still):.3f} of a step, which must be at most 1; "
          f"a checkpoint has {bytes_of / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
