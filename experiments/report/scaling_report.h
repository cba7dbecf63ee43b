// What `dasgd scale` says: per configuration a table over the number of workers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/scaling.h"

namespace dasgd::experiments {

struct ScalingTable {
    std::string label;  // "dasgd delay=2"
    std::string algorithm, backend;
    std::string link;  // "200Mbps, 1ms" where it is emulated
    bool simulated = false;
    std::vector<ScalingPoint> points;
    std::size_t unfinished = 0;  // runs that failed or were stopped: in no point
};

struct ScalingReport {
    Scaling scaling = Scaling::Weak;
    std::optional<Target> target;
    std::vector<ScalingTable> tables;
    bool sharesStepTime = false;  // strong scaling, and a given step time went with the batch
};

[[nodiscard]] std::string scalingText(const ScalingReport& report);
[[nodiscard]] nlohmann::json scalingJson(const ScalingReport& report);

}  // namespace dasgd::experiments
