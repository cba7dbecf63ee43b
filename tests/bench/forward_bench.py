#!/usr/bin/env python3
"""What it costs to bring the records of a rank on another host into rank 0's lab.db, and how far behind they are there.

usage: forward_bench.py [--hosts 2] [--rate 250mbit] [--seconds 20] [--build build/release] [--model lenet]

Each host is a network namespace with a link of `rate` (tests/support/hosts.sh); their clocks are one. Every 20 ms it is
looked how old the newest record of each remote rank is in lab.db: its instant against the clock, so the time that the rank
took to its next record counts as well. Processor time is that of the processes `dasgd forward`, bytes are what their
connections sent and received (ss), each per second. Prints percentiles and shares. Needs root and `./lab build`.
"""
import argparse
import os
import pathlib
import re
import secrets
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

EXPERIMENT = """
name = "forward"
[algorithm]
name = "dasgd"
period = 4
delay = 3
[model]
name = "{model}"
[data]
name = "{data}"
[train]
steps = 10000000
batch_size = 16
eval_every = 10000000
[optimizer]
learning_rate = 0.01
[cluster]
backend = "gloo"
workers = {hosts}
"""
LOOK_S = 0.02
WARM_UP_S = 5
BITS = {"kbit": 1e3, "mbit": 1e6, "gbit": 1e9}


def fail(text):
    sys.exit(f"forward_bench.py: {text}")


def bits_per_s(rate):
    found = re.fullmatch(r"([0-9.]+)(kbit|mbit|gbit)", rate)
    if not found:
        fail(f"--rate is {rate!r}; say it like 250mbit")
    return float(found[1]) * BITS[found[2]]


def start_rank(options, folder, secret, rank):
    environment = {**os.environ, "RANK": str(rank), "WORLD_SIZE": str(options.hosts), "LOCAL_RANK": "0",
                   "MASTER_ADDR": "10.77.0.1", "MASTER_PORT": "29500", "DASGD_INTERFACE": "eth0",
                   "DASGD_SECRET": secret, "OMP_NUM_THREADS": "1"}
    program = pathlib.Path(options.build).resolve() / "dasgd"
    return subprocess.Popen(["ip", "netns", "exec", f"w{rank + 1}", program, "worker", folder / "forward.toml",
                             "--workspace", folder / f"host{rank}"], env=environment, stdout=subprocess.DEVNULL)


def forwarders(workers):
    """Process ids of the forwarders of our ranks."""
    parents, found = {w.pid for w in workers}, []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        if len(words) > 1 and words[1] == b"forward" and parent in parents:
            found.append(int(entry.name))
    return found


def processor_s(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def bytes_moved(options, pids):
    """Of the forwarders' connections, sent and received."""
    total = 0
    for host in range(2, options.hosts + 1):
        lines = subprocess.run(["ip", "netns", "exec", f"w{host}", "ss", "-Htnpi"], capture_output=True, text=True).stdout
        for one in re.split(r"\n(?=\S)", lines):
            if any(f"pid={pid}," in one for pid in pids):
                total += sum(int(n) for n in re.findall(r"bytes_(?:sent|received):(\d+)", one))
    return total


def open_database(folder, patience_s=30):
    until = time.monotonic() + patience_s
    while time.monotonic() < until:
        try:
            database = sqlite3.connect(f"file:{folder / 'host0' / 'lab.db'}?mode=ro", uri=True)
            if database.execute("SELECT count(*) FROM rank_state WHERE step > 10").fetchone()[0] > 1:
                return database
        except sqlite3.OperationalError:
            pass
        time.sleep(0.2)
    fail("no record of a remote rank arrived")


def watch(options, folder, workers):
    database = open_database(folder)
    origin = database.execute("SELECT clock_origin FROM run").fetchone()[0]
    time.sleep(WARM_UP_S)
    pids = forwarders(workers)
    if len(pids) != options.hosts - 1:
        fail(f"{len(pids)} forwarders are there, {options.hosts - 1} were to be")
    records = lambda: database.execute("SELECT sum(events) FROM rank_state WHERE rank > 0").fetchone()[0]
    first = [time.monotonic(), sum(map(processor_s, pids)), bytes_moved(options, pids), records()]
    ages = []
    while time.monotonic() < first[0] + options.seconds:
        time.sleep(LOOK_S)
        rows = database.execute("SELECT newest_ns FROM rank_state WHERE rank > 0").fetchall()
        now = time.clock_gettime_ns(time.CLOCK_MONOTONIC) - origin
        ages += [(now - newest) / 1e6 for (newest,) in rows]
    last = [time.monotonic(), sum(map(processor_s, pids)), bytes_moved(options, pids), records()]
    elapsed, processor, moved, taken = (b - a for a, b in zip(first, last))
    count = len(pids)
    ages.sort()
    at = lambda share: ages[min(len(ages) - 1, int(share * len(ages)))]
    print(f"{options.hosts} hosts, {options.rate}, {elapsed:.1f} s: {taken / elapsed / count:.0f} records/s a remote rank")
    print(f"behind: median {statistics.median(ages):.0f} ms, 95 % {at(0.95):.0f} ms, most {ages[-1]:.0f} ms (n = {len(ages)})")
    print(f"forwarder: {processor / elapsed / count:.2%} of a core, "
          f"{8 * moved / elapsed / count / bits_per_s(options.rate):.2%} of the link")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--hosts", type=int, default=2)
    parser.add_argument("--rate", default="250mbit")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--model", default="lenet")
    options = parser.parse_args()
    if os.getuid() != 0:
        fail("network namespaces need root")
    script = pathlib.Path(__file__).parent.parent / "support" / "hosts.sh"
    with tempfile.TemporaryDirectory(prefix="dasgd-bench.") as name:
        folder = pathlib.Path(name)
        data = "mnist" if options.model == "lenet" else "synthetic"
        (folder / "forward.toml").write_text(EXPERIMENT.format(model=options.model, data=data, hosts=options.hosts))
        subprocess.run([script, "up", str(options.hosts), options.rate], check=True, stdout=subprocess.DEVNULL)
        workers = []
        try:
            secret = secrets.token_hex(32)
            workers = [start_rank(options, folder, secret, rank) for rank in range(options.hosts)]
            watch(options, folder, workers)
        finally:
            for worker in workers:
                worker.terminate()
            for worker in workers:
                worker.wait(30)
            subprocess.run([script, "down"], check=True, stdout=subprocess.DEVNULL)


main()
