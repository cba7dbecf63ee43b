"""Runs of the engine, of PyTorch's loops and of test programs, each kept with what it said."""
import itertools
import json
import os
import pathlib
import re
import subprocess
import threading
import time

# Tests that need a GPU have it in their names.
GPU_TESTS = "*OnGpu*:Cuda*:*/Cuda*:-CudaModule*:CudaFlatOps.*"
# Suites that train on any backend do so on this one, with ranks as threads: kernels that are loaded when first needed
# would wait for those of other ranks.
TESTS_ENVIRONMENT = {"DASGD_TEST_BACKEND": "nccl", "CUDA_MODULE_LOADING": "EAGER", "CUDA_DEVICE_MAX_CONNECTIONS": "32",
                     "NCCL_RUNTIME_CONNECT": "0", "NCCL_MULTI_RANK_GPU_ENABLE": "1"}
# What a test of a suite prints that trained on the device (tests/support/nccl/suite_backend.cpp).
TRAINED = "[ trained  ] on nccl"
HERE = pathlib.Path(__file__).parent


class Failed(Exception):
    """A figure cannot be measured; says why."""


def toml_value(value):
    return json.dumps(value)


def toml_of(sections):
    """{"train": {"steps": 3}} as TOML; what is no section comes first."""
    lines = [f"{key} = {toml_value(value)}" for key, value in sections.items() if not isinstance(value, dict)]
    for name, fields in sections.items():
        if isinstance(fields, dict):
            lines += [f"[{name}]"] + [f"{key} = {toml_value(value)}" for key, value in fields.items()]
    return "\n".join(lines) + "\n"


def error_of(said):
    """The error in what `dasgd run --json` says of a run that failed; "" where it says none."""
    try:
        return json.loads(said.splitlines()[-1]).get("error") or ""
    except (IndexError, AttributeError, json.JSONDecodeError):
        return ""


def counts_of(said, is_suite):
    """What GoogleTest's lines tell of a program's tests, whether it came to its end or not: how many passed, were skipped
    and, of a suite, trained elsewhere or nowhere; the names of those that failed, and of the one that did not end."""
    counts = {"passed": 0, "skipped": 0, "elsewhere": 0, "failed": [], "inside": ""}
    test, trained = "", False
    for line in said.splitlines():
        if line.startswith("[ RUN      ] "):
            test, trained = line[13:], False
        elif line == TRAINED:
            trained = True
        elif test and line.startswith("[       OK ] "):
            counts["elsewhere" if is_suite and not trained else "passed"] += 1
            test = ""
        elif test and line.startswith("[  SKIPPED ] "):
            counts["skipped"] += 1
            test = ""
        elif test and line.startswith("[  FAILED  ] "):
            counts["failed"].append(test)
            test = ""
    counts["inside"] = test
    return counts


class Bench:
    """Where the programs are, how much time is left, and a log of what was run."""

    def __init__(self, chosen, gpus):
        self.engine, self.merge_bench, self.python = chosen.engine, chosen.merge_bench, chosen.python
        self.tests, self.jobs, self.ranks, self.gpus = chosen.tests, chosen.jobs, chosen.ranks, gpus
        self.out = pathlib.Path(chosen.out)
        self.began, self.limit, self.rounds = time.monotonic(), chosen.limit, chosen.rounds
        self.files = 0
        self.beside = None  # what the rounds of one figure say for the next
        self.log = []
        self.numbers = itertools.count(1)  # of what was run
        self.own = threading.local()  # of a thread: its newest entry of the log

    def take_log(self):
        log, self.log = self.log, []
        return log

    def seconds_left(self, share=1.0):
        """Until this share of the limit has passed."""
        return self.began + share * self.limit - time.monotonic()

    def time_is_left(self, share=1.0):
        return self.seconds_left(share) > 0

    def ranks_per_gpu(self, ranks):
        return -(-ranks // self.gpus)

    def run(self, what, command, limit=240, more=None):
        """The command's standard output. Failed where it does not end with status 0, with its last line; all that it said
        is kept beside the report."""
        if not self.time_is_left():
            raise Failed("the time limit was reached before it")
        limit = max(1, round(min(limit, self.seconds_left())))
        begun = time.monotonic()
        folder = self.out / "said"
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{next(self.numbers):02}-{re.sub('[^A-Za-z0-9_.-]+', '-', what)}"
        with open(f"{file}.out", "w", encoding="utf-8") as out, open(f"{file}.err", "w", encoding="utf-8") as err:
            try:
                status = subprocess.run(command, stdout=out, stderr=err, timeout=limit, check=False,
                                        env={**os.environ, **(more or {})}).returncode
            except subprocess.TimeoutExpired:
                self.note(what, command, begun, f"did not end within {limit} s", file)
                raise Failed(f"{what} did not end within {limit} s") from None
            except OSError as error:
                self.note(what, command, begun, str(error), file)
                raise Failed(f"{what} could not be started: {error}") from None
        said = pathlib.Path(f"{file}.out").read_text(encoding="utf-8", errors="replace")
        if status != 0:
            complaint = pathlib.Path(f"{file}.err").read_text(encoding="utf-8", errors="replace")
            words = error_of(said) or (complaint.strip() or said.strip() or "nothing").splitlines()[-1]
            self.note(what, command, begun, f"exit {status}: {words.splitlines()[0]}", file)
            raise Failed(f"{what} failed: {words.splitlines()[0]}")
        self.note(what, command, begun, "", file)
        return said

    def note(self, what, command, begun, fault, said):
        self.own.entry = {"what": what, "command": " ".join(str(word) for word in command), "said": str(said),
                          "seconds": round(time.monotonic() - begun, 1), "fault": fault, "result": None}
        self.log.append(self.own.entry)

    def answer(self, what, command):
        """What the command prints in its last line, as JSON. Failed where that is none."""
        said = self.run(what, command)
        try:
            result = json.loads(said.splitlines()[-1])
        except (IndexError, json.JSONDecodeError):
            raise Failed(f"{what} printed no result") from None
        self.own.entry["result"] = result
        return result

    def train(self, experiment):
        """One run of the engine: what `dasgd run --json` says of it."""
        self.out.mkdir(parents=True, exist_ok=True)
        self.files += 1
        file = self.out / f"{self.files:02}-{experiment['name']}.toml"
        file.write_text(toml_of(experiment), encoding="utf-8")
        command = [self.engine, "run", file, "--workspace", self.out / "workspace", "--json"]
        run = self.answer(experiment["name"], command)
        self.own.entry["result"] = {key: run.get(key) for key in ("run_id", "step_ms", "hidden", "samples_per_s", "compute_inflation")}
        if run.get("status") != "finished" or not run.get("step_ms"):
            raise Failed(f"{experiment['name']}: run {run.get('run_id')} has no step time (status {run.get('status')})")
        if experiment["train"].get("cuda_graph"):
            self.check_graph(run)
        return run

    def check_graph(self, run):
        """Failed where a rank's log says that its step, or the update in it, was not captured."""
        for log in (self.out / "workspace" / "runs" / run["run_id"] / "logs").glob("rank-*.log"):
            for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
                if "cuda_graph has no effect" in line or "cuda_graph leaves the update out" in line:
                    raise Failed(f"run {run['run_id']}: {line}")

    def peer(self, kind, ranks, **settings):
        """One turn of PyTorch's own loop: {"step_ms": …, "samples_per_s": …}."""
        words = [word for key, value in settings.items() for word in (f"--{key.replace('_', '-')}", str(value))]
        command = [self.python, HERE / "peers.py", kind, "--ranks", str(ranks), "--gpus", str(self.gpus), *words]
        return self.answer(f"PyTorch {kind} {settings['model']}", command)

    def measure_merges(self):
        """Of each operation over 100 M parameters, the share of the device's memory bandwidth."""
        return self.answer("merges", [self.merge_bench, "100000000"])

    def run_tests(self, program, chosen, part, parts, share):
        """Counts of one of `parts` parts of a program's tests: of all that need a GPU, or of a suite's, which `chosen`
        names. Of a suite those count that trained on the device; some of its tests train nowhere. What has not ended when
        this share of the limit has passed is ended, as the figures behind it need the rest; what it found until then
        counts."""
        name = pathlib.Path(program).name + (f" {part + 1}/{parts}" if parts > 1 else "")
        command = [program, f"--gtest_filter={chosen or GPU_TESTS}"]
        more = {**TESTS_ENVIRONMENT, "CUDA_MPS_PIPE_DIRECTORY": str(self.out / "no-service"), "GTEST_TOTAL_SHARDS": str(parts), "GTEST_SHARD_INDEX": str(part)}
        failure, self.own.entry = "", None
        try:
            self.run(name, command, limit=max(1, round(self.seconds_left(share))), more=more)
        except Failed as failed:
            failure = str(failed)
        entry = self.own.entry
        if entry is None:
            return {"fault": failure}
        counts = counts_of(pathlib.Path(f"{entry['said']}.out").read_text(encoding="utf-8", errors="replace"), bool(chosen))
        inside = counts.pop("inside")
        entry["result"] = counts
        if failure and (inside or not counts["failed"]):
            counts["fault"] = failure + (f", in {inside}" if inside else "")
        return counts
