#!/usr/bin/env python3
"""How long a step of a pipeline of two stages on two cores takes, against its formula: M micro-batches through K stages
take (M+K-1)/M times as long as K processes that share the work without a bubble, which is a bubble of (K-1)/(M+K-1).

usage: pipeline_bench.py [--micro 1 2 4 8] [--repeats 5] [--steps 40] [--width 768] [--layers 16] [--batch 32]
                         [--build build/release]

A perceptron of equal layers and a small one for ten classes, so that both stages have about half of the work: the first
layer has no gradient of its inputs to make, which leaves the second stage 2 % more of the default model. The reference
is `independent` with two workers: each makes all passes of the whole model over as many micro-batches, beside the
other, so that what two processes take from each other falls on both sides; half of its step is the step without a
bubble. Runs of the two follow one another by turns, and a ratio is of neighbours. Prints for each M the median of (2 *
pipeline / independent) with its range, the formula's (M+1)/M, and the one divided by the other; above 1 is what the
formula leaves out: messages, loading and the update. Needs two cores that nobody else uses, and `./lab build`.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

EXPERIMENT = """
name = "pipeline-bench"
[algorithm]
name = "{algorithm}"
[model]
name = "mlp"
hidden = {hidden}
[data]
name = "synthetic"
shape = [{width}]
train_samples = 4096
test_samples = 16
[train]
steps = {steps}
batch_size = {batch}
accumulate = {micro}
eval_every = 1000000
[optimizer]
name = "sgd"
momentum = 0.0
[cluster]
backend = "gloo"
workers = 2
threads_per_worker = 1
{stages}
[record]
trace = "summary"
"""


def step_ms(options, folder, algorithm, micro):
    """Mean time of a step, by the program."""
    file = folder / f"{algorithm}-{micro}.toml"
    file.write_text(
        EXPERIMENT.format(
            algorithm=algorithm,
            hidden=[options.width] * options.layers,
            width=options.width,
            steps=options.steps,
            batch=options.batch,
            micro=micro,
            stages="stages = 2" if algorithm == "pipeline" else "",
        )
    )
    program = pathlib.Path(options.build) / "dasgd"
    ended = subprocess.run(
        [program, "run", file, "--workspace", folder / "w", "--quiet", "--json"], capture_output=True, text=True, check=False
    )
    if ended.returncode != 0:
        sys.exit(f"{algorithm} with {micro} micro-batches failed: {ended.stdout}{ended.stderr}")
    measured = json.loads(ended.stdout)["step_ms"]
    if measured is None:
        sys.exit(f"{algorithm} with {micro} micro-batches was not timed: more --steps")
    return measured


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--micro", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--width", type=int, default=768)
    parser.add_argument("--layers", type=int, default=16)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--build", default="build/release")
    options = parser.parse_args()
    stages = 2
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        ratios = {micro: [] for micro in options.micro}
        for repeat in range(options.repeats):
            for micro in options.micro:
                order = ["independent", "pipeline"] if repeat % 2 == 0 else ["pipeline", "independent"]
                took = {algorithm: step_ms(options, folder, algorithm, micro) for algorithm in order}
                ratios[micro].append(stages * took["pipeline"] / took["independent"])
    print(f"mlp of {options.layers} layers of {options.width}, micro-batches of {options.batch}, {options.repeats} pairs of runs")
    print("  M   2 x pipeline / independent        (M+K-1)/M   measured / formula")
    for micro, own in ratios.items():
        formula = (micro + stages - 1) / micro
        middle = statistics.median(own)
        print(f"{micro:3d}   {middle:6.3f}  ({min(own):.3f} ... {max(own):.3f})   {formula:14.3f}   {middle / formula:10.3f}")


if __name__ == "__main__":
    main()
