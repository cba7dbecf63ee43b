#!/usr/bin/env python3
"""Accuracy of an experiment's configurations at equal samples, equal time and equal bytes, as a table.

usage: equal_readings.py WORKSPACE EXPERIMENT [--seconds 0.5,1,2] [--megabytes 10,50] [--build build/release]

A reading is the last evaluation by that time, or by so many bytes of all ranks together; a run that has ended by then is
read at its end, which its sample budget is, and the cell is marked with *. Each cell is mean ± half width of the 95 %
interval over the seeds that finished. Seconds are those of the run's record, simulated ones on the virtual cluster.
"""
import argparse
import json
import math
import pathlib
import sqlite3
import statistics
import subprocess

# Two-sided 95 % points of Student's t by degrees of freedom.
T95 = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262}


def spread(values, scale=1, digits=2):
    mean = f"{scale * statistics.mean(values):.{digits}f}"
    if len(values) < 2 or len(values) - 1 not in T95:
        return mean
    half = T95[len(values) - 1] * statistics.stdev(values) / math.sqrt(len(values))
    return f"{mean} ± {scale * half:.{digits}f}"


class Curve:
    """Evaluations of one run: step, seconds, bytes of all ranks, accuracy."""

    def __init__(self, database, run):
        sent = dict(database.execute(
            "SELECT step, sum(bytes_sent) FROM metric_points WHERE run_id = ? AND name = 'train/loss' GROUP BY step", (run,)))
        self.points = [(step, seconds, sent.get(step, 0), accuracy) for step, seconds, accuracy in database.execute(
            "SELECT step, wall_s, value FROM metric_points WHERE run_id = ? AND name = 'eval/accuracy' ORDER BY step", (run,))]
        self.seconds, self.bytes, self.step_ms = database.execute(
            "SELECT wall_s, bytes_sent, step_ms FROM run_list WHERE run_id = ?", (run,)).fetchone()

    def reading(self, column, limit):
        return [point for point in self.points if point[column] <= limit][-1][3]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workspace")
    parser.add_argument("experiment")
    parser.add_argument("--seconds", default="")
    parser.add_argument("--megabytes", default="")
    parser.add_argument("--build", default="build/release")
    options = parser.parse_args()
    seconds = [float(text) for text in options.seconds.split(",") if text]
    megabytes = [float(text) for text in options.megabytes.split(",") if text]

    compared = json.loads(subprocess.run(
        [f"{options.build}/dasgd", "compare", "-w", options.workspace, "-e", options.experiment, "--json"],
        check=True, stdout=subprocess.PIPE).stdout)
    database = sqlite3.connect(f"file:{pathlib.Path(options.workspace) / 'lab.db'}?mode=ro", uri=True)
    finished = {run for run, in database.execute("SELECT run_id FROM run_list WHERE status = 'finished'")}

    heads = ["configuration", "n", "ms a step", "seconds", "MB", "accuracy %"]
    heads += [f"by {value:g} s" for value in seconds] + [f"by {value:g} MB" for value in megabytes]
    print("| " + " | ".join(heads) + " |\n|" + " --- |" * len(heads))
    for group in compared["groups"]:
        curves = [Curve(database, run) for run in group["runs"] if run in finished]
        if not curves:
            continue
        cells = [group["configuration"], str(len(curves))]
        timed = [curve.step_ms for curve in curves if curve.step_ms is not None]
        cells.append(spread(timed) if timed else "–")
        cells.append(spread([curve.seconds for curve in curves]))
        cells.append(f"{statistics.mean(curve.bytes for curve in curves) / 1e6:.1f}")
        cells.append(spread([curve.points[-1][3] for curve in curves], 100))
        for column, limits, ends in ((1, seconds, [curve.seconds for curve in curves]),
                                     (2, [1e6 * value for value in megabytes], [curve.bytes for curve in curves])):
            for limit in limits:
                mark = "*" if max(ends) <= limit else ""
                cells.append(spread([curve.reading(column, limit) for curve in curves], 100) + mark)
        print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
