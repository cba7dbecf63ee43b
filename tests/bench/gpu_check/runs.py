"""Runs of the engine, of PyTorch's loops and of test programs, each kept with what it said."""
import json
import os
import pathlib
import re
import subprocess
import time

# Tests that need a GPU have it in their names.
GPU_TESTS = "*OnGpu*:Cuda*:*/Cuda*:Nvrtc*:-CudaModule*:CudaFlatOps.*"
# Suites that train on any backend do so on this one, with ranks as threads: kernels that are loaded when first needed
# would wait for those of other ranks.
TESTS_ENVIRONMENT = {"DASGD_TEST_BACKEND": "nccl", "CUDA_MODULE_LOADING": "EAGER", "CUDA_DEVICE_MAX_CONNECTIONS": "32",
                     "NCCL_RUNTIME_CONNECT": "0", "NCCL_MULTI_RANK_GPU_ENABLE": "1"}
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


class Bench:
    """Where the programs are, how much time is left, and a log of what was run."""

    def __init__(self, chosen, gpus):
        self.engine, self.merge_bench, self.python = chosen.engine, chosen.merge_bench, chosen.python
        self.tests, self.ranks, self.gpus = chosen.tests, chosen.ranks, gpus
        self.out = pathlib.Path(chosen.out)
        self.began, self.limit = time.monotonic(), chosen.limit
        self.files = 0
        self.beside = None  # what the rounds of one figure say for the next
        self.log = []

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
        """The command's standard output. Failed where it does not end with status 0, with its last line."""
        if not self.time_is_left():
            raise Failed("the time limit was reached before it")
        limit = max(1, round(min(limit, self.seconds_left())))
        begun = time.monotonic()
        try:
            ended = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False,
                                   env={**os.environ, **(more or {})})
        except subprocess.TimeoutExpired:
            self.note(what, command, begun, f"did not end within {limit} s")
            raise Failed(f"{what} did not end within {limit} s") from None
        except OSError as error:
            self.note(what, command, begun, str(error))
            raise Failed(f"{what} could not be started: {error}") from None
        if ended.returncode != 0:
            words = (ended.stderr.strip() or ended.stdout.strip() or "nothing").splitlines()[-1]
            self.note(what, command, begun, f"exit {ended.returncode}: {words}")
            raise Failed(f"{what} failed: {words}")
        self.note(what, command, begun, "")
        return ended.stdout

    def note(self, what, command, begun, fault):
        self.log.append({"what": what, "command": " ".join(str(word) for word in command),
                         "seconds": round(time.monotonic() - begun, 1), "fault": fault, "result": None})

    def answer(self, what, command):
        """What the command prints in its last line, as JSON. Failed where that is none."""
        said = self.run(what, command)
        try:
            result = json.loads(said.splitlines()[-1])
        except (IndexError, json.JSONDecodeError):
            raise Failed(f"{what} printed no result") from None
        self.log[-1]["result"] = result
        return result

    def train(self, experiment):
        """One run of the engine: what `dasgd run --json` says of it."""
        self.out.mkdir(parents=True, exist_ok=True)
        self.files += 1
        file = self.out / f"{self.files:02}-{experiment['name']}.toml"
        file.write_text(toml_of(experiment), encoding="utf-8")
        command = [self.engine, "run", file, "--workspace", self.out / "workspace", "--json"]
        run = self.answer(experiment["name"], command)
        self.log[-1]["result"] = {key: run.get(key) for key in ("run_id", "step_ms", "hidden", "samples_per_s", "compute_inflation")}
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

    def run_tests(self, tests, share):
        """(passed, skipped) of a program's tests on a GPU: "PROGRAM", or "PROGRAM=FILTER" for those of a filter. What has
        not ended when this share of the limit has passed is ended: the figures behind it need the rest."""
        program, _, chosen = tests.partition("=")
        command = [program, f"--gtest_filter={chosen or GPU_TESTS}"]
        limit = max(1, round(self.seconds_left(share)))
        said = self.run(pathlib.Path(program).name, command, limit=limit, more=TESTS_ENVIRONMENT)
        counts = [int(found.group(1)) if found else 0
                  for found in (re.search(pattern, said) for pattern in
                                (r"\[  PASSED  \] (\d+) test", r"\[  SKIPPED \] (\d+) test"))]
        self.log[-1]["result"] = {"passed": counts[0], "skipped": counts[1]}
        return counts
