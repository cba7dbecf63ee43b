#!/usr/bin/env bash
# For ./lab, which sources it: LibTorch from PyPI in .deps/libtorch, on a machine for GPUs with what it needs there.

wheels=(torch==2.11.0 nvidia-cuda-runtime==13.0.96 nvidia-cuda-cupti==13.0.85)
# CUDA's compiler of kernels needs no GPU: the check lets it read ours.
[ -z "${CI:-}" ] || wheels+=(nvidia-cuda-nvrtc==13.0.88)
# The rest of what the metadata of torch 2.11.0 asks for on Linux, but a newer NCCL: from 2.30 on several ranks can share
# a GPU. The module dasgd_cuda.so is built everywhere, with the headers that torch brings.
gpu_wheels=(
    nvidia-cublas==13.1.0.3 nvidia-cuda-nvrtc==13.0.88 nvidia-cudnn-cu13==9.19.0.56 nvidia-cufft==12.0.0.61
    nvidia-cufile==1.15.1.6 nvidia-curand==10.4.0.35 nvidia-cusolver==12.0.4.66 nvidia-cusparse==12.6.3.3
    nvidia-cusparselt-cu13==0.8.0 nvidia-nccl-cu13==2.30.7 nvidia-nvjitlink==13.0.88 nvidia-nvshmem-cu13==3.4.5
    nvidia-nvtx==13.0.85
)

# Why this machine is one for GPUs, or nothing. A toolkit without a driver is no reason: nothing could run.
gpu_reason() {
    if [ "${DASGD_GPU:-}" = yes ]; then
        echo "DASGD_GPU=yes says so"
    elif [ -z "${DASGD_GPU:-}" ] && { [ -e /proc/driver/nvidia/version ] || command -v nvidia-smi >/dev/null; }; then
        echo "this machine has an NVIDIA driver"
    fi
}

# Every file that the wheels brought is there with its size. Ends at the first that is not.
torch_is_whole() {
    [ -d .deps/libtorch ] || return 1
    /usr/bin/python3 - .deps/libtorch "${wheels[@]}" <<'PYTHON'
import csv, os, sys
folder = sys.argv[1]
for wheel in sys.argv[2:]:
    record = os.path.join(folder, wheel.replace("-", "_").replace("==", "-") + ".dist-info", "RECORD")
    if not os.path.isfile(record):
        sys.exit(1)
    with open(record, newline="") as rows:
        for path, _, size in csv.reader(rows):
            # Scripts (../../bin) and compiled caches are pip's business.
            if path.startswith("..") or not size or path.endswith(".pyc"):
                continue
            try:
                if os.stat(os.path.join(folder, path)).st_size != int(size):
                    sys.exit(1)
            except OSError:
                sys.exit(1)
PYTHON
}

torch_failed() {
    local log=$1
    if grep -q 'No space left' "$log" || [ "$(free_mib .deps)" -lt 50 ]; then
        die "the disk filled up while LibTorch was being installed: make room and start again."
    elif grep -qiE 'resolution|connection|timed out|unreachable|ssl|proxy|No matching distribution' "$log"; then
        die "LibTorch could not be downloaded from PyPI: check the network (details: $log) and start again."
    fi
    die "pip could not install LibTorch; its own words are in $log."
}

# Downloads into a folder of its own and renames it: what is at .deps/libtorch is whole or not there.
ensure_torch() {
    local reason room=3500
    reason=$(gpu_reason)
    if [ -n "$reason" ]; then
        wheels+=("${gpu_wheels[@]}")
        room=12000
    fi
    torch_is_whole && return
    mkdir -p .deps 2>/dev/null || die "cannot write in $PWD: make the folder writable."
    need_disk .deps "$room" "LibTorch"
    if [ -n "$reason" ]; then
        say "Downloading LibTorch from PyPI with its CUDA libraries and NCCL, since $reason (some GB, once) …"
    else
        say "Downloading LibTorch from PyPI (0.6 GB, once) …"
    fi
    local part=.deps/libtorch.part log=.deps/pip.log progress=()
    [ -t 2 ] || progress=(--progress-bar off)
    { rm -rf "$part" .deps/tmp && mkdir -p .deps/tmp && : >"$log"; } 2>/dev/null ||
        die "cannot write in $PWD/.deps, which is somebody else's: remove it or take it over with chown."
    # pip unpacks in TMPDIR: beside the target, where room has just been checked.
    TMPDIR=$PWD/.deps/tmp /usr/bin/python3 -m pip install --no-deps --no-compile --disable-pip-version-check \
        "${progress[@]}" --target "$part" "${wheels[@]}" > >(tee "$log" >&2) 2>&1 || torch_failed "$log"
    rm -rf .deps/tmp .deps/libtorch
    mv "$part" .deps/libtorch
    torch_is_whole || die "LibTorch is not whole although pip said so: start again, and report it if it happens twice."
}
