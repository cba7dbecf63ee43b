"""What this machine is: the part of a report without which no figure means anything."""
import ctypes
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


def nccl_version():
    """Of the library that the loader finds first, as the engine does."""
    try:
        library = ctypes.CDLL("libnccl.so.2")
        number = ctypes.c_int()
        library.ncclGetVersion(ctypes.byref(number))
    except (OSError, AttributeError):
        return "not found by the loader"
    return f"{number.value // 10000}.{number.value // 100 % 100}.{number.value % 100}"


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
            ("NCCL", nccl_version()), ("PyTorch of the peers", torch or "not known"), ("engine", said([engine, "--version"]) or "not known")]
    rows += [(f"doctor: {each['check']}", each["text"]) for each in checks if each["check"] in ("versions", "gpus")]
    return rows
