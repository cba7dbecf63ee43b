#!/usr/bin/env python3
"""What coding a vector costs in PyTorch, beside our operators of [compression], on one core.

usage: hooks_bench.py build/release/tests/bench/compression_bench [ELEMENTS]     (a Python with torch and numpy)

PyTorch's side is the coding and decoding of its own DDP hooks (fp16_compress_hook, quantization_pertensor_hook and
powerSGD_hook, whose orthogonalization is called), and for signs what DeepSpeed's 1-bit optimizers compute: an l2 scale
and packed bits (with numpy). The largest 1 % are torch.topk, sent as places and values. Error feedback is in neither
side but for PowerSGD, where it is in both. The sides run in turns, as processes of their own; the numbers are
milliseconds of processor time, medians, beside a copy of as many float32.
"""
import re
import statistics
import subprocess
import sys
import time

TURNS = 3


def pytorch(elements):
    import numpy
    import torch
    from torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import _orthogonalize
    from torch.distributed.algorithms.ddp_comm_hooks.quantization_hooks import (
        _dequantize_per_tensor_backend, _quantize_per_tensor_backend)

    torch.set_num_threads(1)
    torch.manual_seed(1)
    x = torch.randn(elements) * 1e-3
    out, error = torch.empty_like(x), torch.zeros_like(x)

    def fp16():
        out.copy_(x.to(torch.float16))

    def quantization():
        observer = torch.ao.quantization.MinMaxObserver()
        observer(x)
        scale, zero = observer.calculate_qparams()
        out.copy_(_dequantize_per_tensor_backend(_quantize_per_tensor_backend(x, scale, zero), scale, zero))

    def sign():
        scale = x.norm() / x.numel() ** 0.5
        message = numpy.packbits(x.ge(0).numpy())
        signs = torch.from_numpy(numpy.unpackbits(message, count=elements))
        out.copy_(signs.float().sub_(0.5).mul_(2 * scale))

    def topk():
        values, places = x.abs().topk(max(1, elements // 100), sorted=False)
        values = x[places]
        out.zero_().scatter_(0, places, values)

    rank, rows = 4, 1000
    columns = elements // 10 // rows
    matrices = x[:10 * rows * columns].view(10, rows, columns)
    q, p = torch.randn(10, columns, rank), torch.empty(10, rows, rank)

    def powersgd():
        nonlocal q
        torch.bmm(matrices, q, out=p)
        _orthogonalize(p)
        q = torch.bmm(matrices.transpose(1, 2), p)
        torch.bmm(p, q.transpose(1, 2), out=out[:10 * rows * columns].view(10, rows, columns))
        torch.sub(x, out, out=error)

    def copy():
        out.copy_(x)

    for name, work in [("fp16", fp16), ("int", quantization), ("sign", sign), ("topk", topk),
                       ("powersgd, rank 4", powersgd), ("copy", copy)]:
        taken = []
        for _ in range(5):
            began = time.process_time()
            work()
            taken.append(1e3 * (time.process_time() - began))
        print(f"{name}: {statistics.median(taken)}", flush=True)


def main():
    if sys.argv[1] == "--pytorch":
        pytorch(int(sys.argv[2]))
        return
    bench, elements = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "25000000"
    ours, theirs, copies = {}, {}, []
    for _ in range(TURNS):
        said = subprocess.run([sys.executable, __file__, "--pytorch", elements], check=True, capture_output=True, text=True)
        for name, taken in (line.split(": ") for line in said.stdout.splitlines()):
            theirs.setdefault(name, []).append(float(taken))
        for operator in ("fp16", "int", "sign", "topk", "powersgd"):
            said = subprocess.run([bench, elements, operator], check=True, capture_output=True, text=True)
            for line in re.findall(r"^(.+?) +encode +([\d.]+) ms +decode +([\d.]+) ms +copy +([\d.]+) ms", said.stdout, re.M):
                ours.setdefault(line[0], []).append(float(line[1]) + float(line[2]))
                copies.append(float(line[3]))
    copy = statistics.median(copies)
    print(f"copy {copy:.1f} ms, PyTorch's {statistics.median(theirs.pop('copy')):.1f} ms")
    for name, taken in theirs.items():
        own, other = statistics.median(ours[name]), statistics.median(taken)
        print(f"{name:18} ours {own:7.1f} ms = {own / copy:5.2f} copies   PyTorch {other:7.1f} ms   ours ÷ PyTorch {own / other:.3f}")


main()
