// The output of `dasgd scale`: for each configuration a table over the number of workers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/runs/scaling.h"
#include "experiments/base/text.h"

namespace dasgd::experiments {

// A number of workers without numbers.
struct RefusedPoint {
    int workers = 0;
    std::string why;
};

struct ScalingTable {
    std::string label;  // "dasgd delay=2"
    std::string algorithm, backend;
    std::string link;  // "200Mbps, 1ms" where it is emulated
    bool simulated = false;
    bool validates = false;  // targets are judged on a validation set, not on the test set
    std::vector<ScalingPoint> points;
    std::size_t unfinished = 0;              // runs that failed, were stopped or never began: in no point
    std::vector<RefusedPoint> refused = {};  // by workers
};

struct ScalingReport {
    Scaling scaling = Scaling::Weak;
    std::optional<Target> target;
    std::vector<ScalingTable> tables;
    bool sharesStepTime = false;  // strong scaling, and a given step time went with the batch
};

// "64 workers cannot be run: …"
[[nodiscard]] std::string inWords(const RefusedPoint& point);
[[nodiscard]] std::string scalingText(const ScalingReport& report, Markup markup = Markup::Terminal);
[[nodiscard]] nlohmann::json scalingJson(const ScalingReport& report);

}  // namespace dasgd::experiments
