#!/usr/bin/env python3
"""The GPU tests and every figure that needs a GPU, on the GPUs of this machine, with a report of where each comes from.

`./lab gpu-check` builds what this needs and calls it; `--dry-run` says what would be done and needs no GPU. A figure is a
ratio of runs made in turns, or a share of what the device can do; each run stands in the report. What could not be
measured is said so with the reason, and after --limit seconds nothing new is begun. Exit status: 0 every figure is as it
must be, 1 some are not or were not measured, 2 the command line is wrong.
"""
import argparse
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from figures import FIGURES  # noqa: E402
from machine import describe, gpu_count, sharing  # noqa: E402
from report import Report  # noqa: E402
from runs import Bench, Failed  # noqa: E402


def arguments(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default="build/release/dasgd", help="the dasgd program")
    parser.add_argument("--merge-bench", default="build/release/merge_rate_bench")
    parser.add_argument("--tests", nargs="*", default=[], help="test programs; of each, the tests on a GPU are run, or those of a filter: PROGRAM=FILTER")
    parser.add_argument("--python", default=sys.executable, help="a Python whose torch sees the GPUs")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--gpus", type=int, help="how many to use; default: all, at most one a rank")
    parser.add_argument("--jobs", type=int, default=4, help="test programs at a time; figures are measured one by one")
    parser.add_argument("--rounds", type=int, default=3, help="of the runs behind each ratio, as far as time goes")
    parser.add_argument("--limit", type=float, default=480, help="seconds after which no run is begun")
    parser.add_argument("--out", default="gpu-check", help="folder of the report and of all runs")
    parser.add_argument("--only", nargs="*", default=[], help="keys of figures: " + " ".join(f.key for f in FIGURES))
    parser.add_argument("--dry-run", action="store_true")
    chosen = parser.parse_args(words)
    unknown = set(chosen.only) - {figure.key for figure in FIGURES}
    if unknown:
        parser.error(f"--only: there is no figure {', '.join(sorted(unknown))}")
    if chosen.ranks < 2:
        parser.error("--ranks: 2 or more, since one rank communicates with nobody")
    return chosen


def measure(figure, bench):
    """What the figure found, or why it found nothing; what was run is kept either way."""
    try:
        return figure.measure(bench), ""
    except Failed as failure:
        return None, str(failure)


def main(words):
    chosen = arguments(words)
    figures = [figure for figure in FIGURES if not chosen.only or figure.key in chosen.only]
    gpus = chosen.gpus if chosen.gpus is not None else min(gpu_count(), chosen.ranks)
    if chosen.dry_run:
        print(f"GPUs that would be used: {gpus}, by {chosen.ranks} ranks; nothing below is run.\n")
        bench = Bench(chosen, gpus or 1)
        for figure in figures:
            print(f"{figure.key}: {figure.what} (must be {figure.must})")
            for line in figure.plan(bench):
                print(f"    {line}")
        return 0
    if gpus == 0:
        print("gpu-check: no NVIDIA GPU is here (nvidia-smi lists none); --dry-run says what would be done", file=sys.stderr)
        return 1
    out = pathlib.Path(chosen.out)
    if (out / "report.md").exists():
        print(f"gpu-check: {out}/report.md is there already: name another folder with --out", file=sys.stderr)
        return 2
    out.mkdir(parents=True, exist_ok=True)
    bench = Bench(chosen, gpus)
    report = Report(out, describe(chosen.engine, chosen.python), words)

    def measure_all(of):
        for figure in of:
            found, why = measure(figure, bench)
            report.add(figure, found, why, bench.take_log())
            print(report.line_of(figure.key), flush=True)

    # The ranks of tests are threads of one process, which need no service, and many queues each: clients of a service
    # share those of the GPU.
    measure_all([figure for figure in figures if figure.key == "tests"])
    with sharing(out, chosen.ranks > gpus) as shared:
        report.machine.append(("ranks that share a GPU", shared))
        measure_all([figure for figure in figures if figure.key != "tests"])
    report.end(time.monotonic() - bench.began)
    print(f"Report: {out}/report.md")
    return 0 if report.all_met() else 1


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    sys.exit(main(sys.argv[1:]))
