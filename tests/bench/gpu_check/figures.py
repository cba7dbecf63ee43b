"""The figures: what is run for each, and what must come out."""
import collections
import concurrent.futures
import dataclasses
import statistics
import typing

from runs import Failed

TESTS_SHARE = 0.35  # of the time limit
MORE_OF_TRACE = 2  # rounds: its bound is the narrowest
SUITE_PARTS = 3  # what trains on any backend is run in so many parts, beside one another
RESNET = {"model": "resnet50", "batch": 64, "steps": 48, "autocast": "bfloat16", "channels_last": 1}
LENET = {"model": "lenet", "batch": 32, "steps": 2000, "autocast": "off", "channels_last": 0}


@dataclasses.dataclass
class Found:
    value: float  # what is compared with the bound
    text: str  # as it stands in the report, with n and spread


@dataclasses.dataclass
class Figure:
    key: str
    what: str
    must: str
    measure: typing.Callable  # of a Bench; Found, or Failed
    plan: typing.Callable  # of a Bench; lines
    met: typing.Callable = lambda value: True  # of Found.value


def experiment(name, algorithm, settings, ranks, bench, **more):
    """The experiment file of one run: as PyTorch's loop has it in peers.py."""
    train = {"steps": settings["steps"], "batch_size": settings["batch"], "eval_every": settings["steps"],
             "autocast": settings["autocast"], "channels_last": bool(settings["channels_last"])}
    return {
        "name": name,
        "algorithm": algorithm,
        "model": {"name": settings["model"]},
        "data": {"name": "synthetic", "train_samples": 4 * settings["batch"], "test_samples": settings["batch"],
                 "device_data": "resident"},
        "train": {**train, **more.get("train", {})},
        "optimizer": {"name": "sgd", "learning_rate": 0.01, "momentum": 0.9},
        "cluster": {"backend": "nccl", "workers": ranks, "ranks_per_gpu": bench.ranks_per_gpu(ranks)},
        "record": more.get("record", {}),
    }


INDEPENDENT = {"name": "independent"}
DASGD = {"name": "dasgd", "period": 4, "delay": 3}
SYNC = {"name": "sync_sgd"}


def in_turns(programs, bench, more=0):
    """{who: [result, …]} of as many whole rounds as time is left for; one at least, or Failed."""
    found = {who: [] for who in programs}
    for done in range(bench.rounds + more):
        if done > 0 and not bench.time_is_left():
            break
        try:
            results = {who: program() for who, program in programs.items()}
        except Failed:
            if done == 0:
                raise
            break
        for who, result in results.items():
            found[who].append(result)
    return found


def ratios(found, above, below, key):
    """Of each round, and their text."""
    each = [a[key] / b[key] for a, b in zip(found[above], found[below])]
    spread = f" ({min(each):.3f} … {max(each):.3f})" if len(each) > 1 else ""
    return each, f"{statistics.median(each):.3f}, median of {len(each)} rounds{spread}"


def tests(bench):
    """Every program is run, whatever the others found; one of which no test ran is at fault too."""
    if not bench.tests:
        raise Failed("no test program was named with --tests")

    def run(task):
        program, chosen, part, parts = task
        if not bench.time_is_left(TESTS_SHARE):
            return {"fault": "not run, the tests' share of the time was over"}
        return bench.run_tests(program, chosen, part, parts, TESTS_SHARE)

    tasks = []
    for named in bench.tests:
        program, _, chosen = named.partition("=")
        parts = SUITE_PARTS if chosen else 1
        tasks += [(program, chosen, part, parts) for part in range(parts)]
    with concurrent.futures.ThreadPoolExecutor(bench.jobs) as pool:
        outcomes = list(pool.map(run, tasks))

    faults, totals, ran = [], collections.Counter(), collections.Counter()
    for (program, chosen, part, parts), counts in zip(tasks, outcomes):
        fault, failed = counts.get("fault", ""), counts.get("failed", [])
        if fault:
            faults.append(f"{program.rpartition('/')[2]} {part + 1}/{parts}: {fault}")
        faults += [f"{test} failed" for test in failed]
        totals.update({name: counts.get(name, 0) for name in ("passed", "skipped", "elsewhere")})
        ran[program, chosen] += counts.get("passed", 0) + len(failed) + bool(fault)
    faults += [f"{program}: no test ran on a GPU" for (program, _), count in ran.items() if count == 0]
    if totals["passed"] == 0:
        raise Failed("no test ran on a GPU: " + "; ".join(faults))
    text = f"{totals['passed']} passed, {totals['skipped']} skipped, in {len(bench.tests)} programs"
    if totals["elsewhere"]:
        text += f" ({totals['elsewhere']} more of them train nowhere and do not count)"
    return Found(totals["skipped"] + len(faults), "; ".join([text, *faults]))


def overlap(bench):
    def train(name, algorithm):
        return lambda: bench.train(experiment(name, algorithm, RESNET, bench.ranks, bench))

    peer_faults = []

    def ddp():
        if peer_faults:  # what hangs once takes its whole limit again, from the figures behind it
            return None
        try:
            return bench.peer("ddp", bench.ranks, **RESNET)
        except Failed as failure:
            peer_faults.append(str(failure))
            return None

    found = in_turns({"independent": train("independent", INDEPENDENT), "dasgd": train("dasgd", DASGD),
                      "sync_sgd": train("sync-sgd", SYNC), "ddp": ddp}, bench)
    steps, text = ratios(found, "dasgd", "independent", "step_ms")
    hidden = [run["hidden"] for run in found["dasgd"]]
    if None in hidden:
        raise Failed("a run of DaSGD has no hidden share")
    inflation = [run["compute_inflation"] for run in found["dasgd"] if run["compute_inflation"]]
    said = [f"step ÷ `independent` {text}", f"hidden {min(hidden):.4f} at least"]
    if inflation:
        said.append(f"inflation {statistics.median(inflation):.3f}")
    bench.beside = ("sync_sgd ÷ `independent` " + ratios(found, "sync_sgd", "independent", "step_ms")[1],
                    "" if peer_faults else "ddp ÷ `independent` " + ratios(found, "ddp", "independent", "step_ms")[1],
                    peer_faults)
    # Both bounds at once: the ratio, made worse than any bound where too little was hidden.
    value = statistics.median(steps) if min(hidden) >= 0.99 else float("inf")
    return Found(value, "; ".join(said))


def beside(bench):
    """Of the rounds of the figure before, or of its own where that was not asked for."""
    if bench.beside is None:
        overlap(bench)
    sync, ddp, faults = bench.beside
    if faults:
        raise Failed(f"{sync}; DDP not measured: {faults[0]}")
    return Found(0, f"{sync}; {ddp}")


def throughput(settings, graph):
    def measure(bench):
        more = {"train": {"cuda_graph": graph}}
        name = f"{settings['model']}-alone"
        found = in_turns({
            "ours": lambda: bench.train(experiment(name, INDEPENDENT, settings, 1, bench, **more)),
            "eager": lambda: bench.peer("eager", 1, **settings)}, bench)
        each, text = ratios(found, "ours", "eager", "samples_per_s")
        rates = [statistics.median(run["samples_per_s"] for run in found[who]) for who in ("ours", "eager")]
        return Found(statistics.median(each), f"{text}; {rates[0]:.0f} and {rates[1]:.0f} images/s")
    return measure


def merges(bench):
    result = bench.measure_merges()
    shares = {name: share for name, share in result.items() if isinstance(share, (int, float))}
    if not shares:
        raise Failed("the bench printed no share")
    return Found(min(shares.values()), ", ".join(f"{name} {share:.3f}" for name, share in shares.items()))


def trace(bench):
    def train(level):
        more = {"record": {"trace": level}}
        settings = {**LENET, "steps": 2 * LENET["steps"]}
        return lambda: bench.train(experiment(f"trace-{level}", DASGD, settings, bench.ranks, bench, **more))

    found = in_turns({"full": train("full"), "off": train("off")}, bench, MORE_OF_TRACE)
    each, text = ratios(found, "full", "off", "step_ms")
    return Found(statistics.median(each), text)


def turns(bench, *programs, more=0):
    return [f"{bench.rounds + more} rounds of: " + ", ".join(programs)]


FIGURES = [
    Figure("tests", "oracles and identities on the device, 1, 2 and 4 ranks", "all pass, none skipped", tests,
           lambda bench: [f"{program} (its tests on a GPU)" for program in bench.tests] or ["no program is named"],
           lambda amiss: amiss == 0),
    Figure("overlap", "DaSGD τ=4 d=3, ResNet-50 of 224², batch 64, bfloat16: step ÷ `independent`",
           "≤ 1.03 with hidden ≥ 0.99", overlap,
           lambda bench: turns(bench, "independent", "dasgd", "sync_sgd", "PyTorch DDP") +
           [f"{bench.ranks} ranks on {bench.gpus} GPU(s), {RESNET['steps']} steps each"],
           lambda ratio: ratio <= 1.03),
    Figure("beside", "the same with `sync_sgd` and PyTorch DDP, in the same rounds", "both reported", beside,
           lambda _: ["the rounds of `overlap`"]),
    Figure("resnet50", "ResNet-50 images/s of `independent`, one rank ÷ PyTorch eager with the same settings", "≥ 1.0",
           throughput(RESNET, False), lambda bench: turns(bench, "independent", "PyTorch eager"), lambda ratio: ratio >= 1.0),
    Figure("lenet", "LeNet images/s with cuda_graph, one rank ÷ PyTorch eager", "≥ 2.0", throughput(LENET, True),
           lambda bench: turns(bench, "independent with cuda_graph", "PyTorch eager"), lambda ratio: ratio >= 2.0),
    Figure("merge", "merges and snapshot of 100 M parameters: share of the device's memory bandwidth", "≥ 0.80", merges,
           lambda bench: [f"{bench.merge_bench} 100000000"], lambda share: share >= 0.8),
    Figure("trace", "LeNet, DaSGD: step with the full trace ÷ without", "≤ 1.01", trace,
           lambda bench: turns(bench, "trace full", "trace off", more=MORE_OF_TRACE) + [f"{bench.ranks} ranks"], lambda ratio: ratio <= 1.01),
]
