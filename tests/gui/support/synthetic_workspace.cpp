// Fills a workspace with made-up runs, to look at the window without training anything:
//   gui_synthetic_workspace FOLDER [seconds of a live run | "many" | "scaling"]
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/gui/support/scaling_runs.h"
#include "tests/gui/support/synthetic_run.h"

namespace {

// 10,000 runs: 50 experiments of 5 algorithms at 8 numbers of workers with 5 seeds each.
void recordManyLines(dasgd::storage::Store& store) {
    for (int i = 0; i < 10'000; ++i) {
        const int seed = i % 5, power = i / 5 % 8, algorithm = i / 40 % 5, experiment = i / 200;
        const int workers = 1 << power;
        dasgd::test::recordScaling(
            store, {.experiment = "sweep-" + std::to_string(experiment),
                    .algorithm = std::vector<std::string>{"sync_sgd", "dasgd", "local_sgd", "easgd",
                                                          "cocod_sgd"}[static_cast<std::size_t>(algorithm)],
                    .workers = workers,
                    .seed = seed,
                    .stepMs = 10 + 0.1 * seed + 0.4 * algorithm * power,
                    .more = "[extra]\nexperiment = " + std::to_string(experiment) + "\n"});
    }
}

}  // namespace

int main(int argc, char** argv) {
    using namespace dasgd;
    if (argc < 2) return 2;
    auto store = storage::Store::open(argv[1]);
    if (!store) {
        std::fprintf(stderr, "%s\n", store.error().message.c_str());
        return 1;
    }
    const std::string mode = argc > 2 ? argv[2] : "0";
    if (mode == "many") {
        for (int i = 0; i < 10'000; ++i) {
            test::recordRun(*store, {.experiment = "many", .seed = i, .ranks = 1, .steps = 2});
        }
        return 0;
    }
    if (mode == "scaling") {
        recordManyLines(*store);
        return 0;
    }
    test::recordRun(*store, {.algorithm = "sync_sgd", .steps = 300, .reduceMs = 60});
    test::recordRun(*store, {.algorithm = "local_sgd", .steps = 400});
    const double seconds = std::atof(mode.c_str());
    test::SyntheticSpec spec{.steps = seconds > 0 ? static_cast<std::int64_t>(seconds / 0.0262) : 500};
    spec.realTime = seconds > 0;
    test::recordRun(*store, spec);
    return 0;
}
