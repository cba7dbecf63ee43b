// What a virtual cluster does under each algorithm: short runs of time only, recorded like any other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/value.h"
#include "experiments/advice.h"
#include "experiments/calibration.h"
#include "experiments/run_session.h"

namespace dasgd::experiments {

struct ForecastRow {
    std::string algorithm;  // "dasgd"
    Value settings;         // its table
    std::string runId;
    double stepSeconds = 0;
    std::optional<double> hidden;
    double effective = 1;      // local steps that count ÷ made
    double targetSeconds = 0;  // until as many steps count as the experiment makes
};

struct Forecast {
    ClusterFacts facts;
    Advice advice;
    std::string probeRun;
    std::vector<ForecastRow> rows;  // by targetSeconds; `independent` last
    std::int64_t targetSteps = 0;   // the experiment's own length
    bool byFormula = false;         // too many ranks for messages
};

// Of `document`, an experiment on a virtual cluster. Errors: of the document, a run that does not finish.
[[nodiscard]] Result<Forecast> forecast(RunSession& session, const Value& document, const Overrides& overrides,
                                        double allowedOverhead);

}  // namespace dasgd::experiments
