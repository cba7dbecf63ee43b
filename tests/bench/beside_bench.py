#!/usr/bin/env python3
"""What an open window costs the training: time per step of a run of one rank on one core while a window on the other
core follows it, divided by that while the same window is stopped (SIGSTOP), in turns within one run.

usage: beside_bench.py [--pairs 25] [--seconds 2] [--page Run] [--build build/release] [--rank-core 0] [--window-core 1]

The collector, which writes the records down, shares the core of the rank in both. Neighbouring stretches are a pair, the
first of the two by turns, so that what drifts on the machine falls on both sides; a window that goes on after a stop has
the records of the stop to read besides, which counts as its cost. The first 0.3 s of a stretch are left out. Needs two
cores that nobody else uses, and `./lab build`. Prints the mean of the pairs' ratios with its 95 % interval.
"""
import argparse
import math
import os
import pathlib
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

EXPERIMENT = """
name = "beside"
[algorithm]
name = "dasgd"
period = 4
delay = 3
[model]
name = "lenet"
[train]
steps = {steps}
batch_size = 16
eval_every = 10000000
[optimizer]
learning_rate = 0.01
[cluster]
workers = 1
[record]
trace = "full"
"""
LEFT_OUT_S = 0.3


def newest_step(database):
    """The newest step that is written down; 0 before the first."""
    try:
        with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
            return connection.execute("SELECT ifnull(max(step), 0) FROM rank_state").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def step_starts(database):
    """Instants in seconds, by step."""
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        rows = connection.execute("SELECT step, start_ns FROM span_list WHERE kind = 'forward' ORDER BY step")
        return {step: start / 1e9 for step, start in rows}


def ms_a_step(starts, first, last):
    """Mean over the steps from `first` to `last`, without what belongs to the change before them."""
    begin = next(s for s in range(first, last) if starts[s] - starts[first] >= LEFT_OUT_S)
    return (starts[last] - starts[begin]) / (last - begin) * 1e3


def measure(options, folder):
    # With some room: a step takes 2 ms and more.
    steps = int((2 * options.pairs * options.seconds + 20) / 0.002)
    file = folder / "beside.toml"
    file.write_text(EXPERIMENT.format(steps=steps))
    build, workspace = pathlib.Path(options.build), folder / "workspace"
    workspace.mkdir()
    pinned = lambda core, *command: ["taskset", "-c", str(core), *map(str, command)]
    run = subprocess.Popen(
        pinned(options.rank_core, build / "dasgd", "run", file, "--workspace", workspace, "--quiet"),
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    window = subprocess.Popen(
        pinned(options.window_core, build / "dasgd-lab", "--workspace", workspace, "--page", options.page),
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        stderr=subprocess.DEVNULL,
    )
    stretches = []
    try:
        database = workspace / "lab.db"
        while newest_step(database) < 500:
            if run.poll() is not None or window.poll() is not None:
                sys.exit("the run or the window has ended")
            time.sleep(0.1)
        time.sleep(2)
        for pair in range(options.pairs):
            for stopped in (True, False) if pair % 2 else (False, True):
                window.send_signal(signal.SIGSTOP if stopped else signal.SIGCONT)
                first = newest_step(database)
                time.sleep(options.seconds)
                stretches.append((stopped, first, newest_step(database)))
    finally:
        window.kill()
        window.wait()
        run.send_signal(signal.SIGINT)
        run.wait()
    starts = step_starts(database)
    return [(stopped, ms_a_step(starts, first, last)) for stopped, first, last in stretches]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=25)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--page", default="Run")
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--rank-core", type=int, default=0)
    parser.add_argument("--window-core", type=int, default=1)
    options = parser.parse_args()
    os.sched_setaffinity(0, {options.window_core})
    with tempfile.TemporaryDirectory() as folder:
        found = measure(options, pathlib.Path(folder))
    ratios = []
    for one, other in zip(found[::2], found[1::2]):
        beside, alone = (one[1], other[1]) if other[0] else (other[1], one[1])
        ratios.append(beside / alone)
    half = 1.96 * statistics.stdev(ratios) / math.sqrt(len(ratios))
    for words, which in (("beside the window", False), ("while it is stopped", True)):
        times = [ms for stopped, ms in found if stopped == which]
        print(f"{words}: {statistics.mean(times):.3f} ms/step ({min(times):.3f} … {max(times):.3f})")
    print(f"page {options.page}: ratio {statistics.mean(ratios):.4f} ± {half:.4f} (95 %), n = {len(ratios)} pairs")


if __name__ == "__main__":
    main()
