// Fills a workspace with made-up runs, to look at the window without training anything:
//   gui_synthetic_workspace FOLDER [seconds of a live run | "many"]
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/gui/support/synthetic_run.h"

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
    test::recordRun(*store, {.algorithm = "sync_sgd", .steps = 300, .reduceMs = 60});
    test::recordRun(*store, {.algorithm = "local_sgd", .steps = 400});
    const double seconds = std::atof(mode.c_str());
    test::SyntheticSpec spec{.steps = seconds > 0 ? static_cast<std::int64_t>(seconds / 0.0262) : 500};
    spec.realTime = seconds > 0;
    test::recordRun(*store, spec);
    return 0;
}
