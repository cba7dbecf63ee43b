"""What this machine is: the part of a report without which no figure means anything."""
import contextlib
import datetime
import json
import os
import platform
import subprocess


def said(command):
    """The command's output; "" where it cannot be had."""
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return ended.stdout.strip() if ended.returncode == 0 else ""


def gpu_count():
    return len([line for line in said(["nvidia-smi", "--list-gpus"]).splitlines() if line.startswith("GPU ")])


@contextlib.contextmanager
def sharing(out, needed):
    """While it lasts, CUDA's multi-process service where ranks share a GPU: without it their kernels take turns, and a
    collective waits for ranks that do not run. Gives what the report says of it."""
    if not needed:
        yield "none"
        return
    if "CUDA_MPS_PIPE_DIRECTORY" in os.environ:
        yield "by the multi-process service of CUDA_MPS_PIPE_DIRECTORY"
        return
    folders = {name: str((out / name.lower()).resolve()) for name in ("CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_LOG_DIRECTORY")}
    for folder in folders.values():
        os.makedirs(folder, exist_ok=True)
    control = "nvidia-cuda-mps-control"
    try:
        subprocess.run([control, "-d"], env={**os.environ, **folders}, timeout=60, check=True, capture_output=True)
    except (OSError, subprocess.SubprocessError) as error:
        yield f"by time slices, as {control} does not start ({error}): no figure of theirs is one of overlap"
        return
    os.environ.update(folders)
    try:
        yield "by CUDA's multi-process service"
    finally:
        subprocess.run([control], input="quit\n", text=True, timeout=60, check=False, capture_output=True)


def cpu():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    except OSError:
        names = []
    return (names[0] if names else platform.machine()) + f", {len(os.sched_getaffinity(0))} cores to use"


def describe(engine, python):
    """(name, text) in the order of the report."""
    gpus = said(["nvidia-smi", "--query-gpu=name,memory.total,driver_version,clocks.max.sm,power.limit", "--format=csv,noheader"])
    torch = said([python, "-c", "import torch; print(torch.__version__, 'CUDA', torch.version.cuda, 'cuDNN', torch.backends.cudnn.version())"])
    try:
        checks = json.loads(said([engine, "doctor", "--json"]) or "{}").get("checks", [])
    except json.JSONDecodeError:
        checks = []
    rows = [("date", datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")), ("processor", cpu()),
            ("GPUs: name, memory, driver, highest clock, power limit", "; ".join(gpus.splitlines()) or "not known"),
            ("PyTorch of the peers", torch or "not known"), ("engine", said([engine, "--version"]) or "not known")]
    rows += [(f"doctor: {each['check']}", each["text"]) for each in checks if each["check"] in ("versions", "gpus", "nccl")]
    return rows
