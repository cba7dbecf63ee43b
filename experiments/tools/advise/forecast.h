// Forecasts the algorithms on a virtual cluster: short time-only runs, and whole runs with maths if a target is
// given. They are recorded like any other run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/runs/scaling.h"
#include "core/base/schema/value.h"
#include "experiments/run/session/run_session.h"
#include "experiments/tools/advise/advice.h"
#include "experiments/tools/advise/advice_range.h"
#include "experiments/tools/advise/candidates.h"
#include "experiments/tools/advise/formula_times.h"
#include "experiments/tools/calibrate/calibration.h"

namespace dasgd::experiments {

struct ForecastRow {
    std::string algorithm;  // "dasgd"
    Value settings;         // its table
    std::string runId;
    double stepSeconds = 0;
    std::optional<double> hidden;
    double effective = 1;   // local steps that count ÷ made
    bool trainable = true;  // towards a target
    CandidateRole role = CandidateRole::Other;
    // Until as many steps count as the experiment makes; with a target until an evaluation of `targetRun` reaches it,
    // none where none does.
    std::optional<double> targetSeconds;
    std::string targetRun;  // with maths, as long as the experiment; only with a target, of rows that are trainable
    std::string whyNot;     // reason for which it cannot be trained, as a batch larger than the share of its workers
};

struct Forecast {
    ClusterFacts facts;
    Advice advice;
    ConstantsUncertainty uncertainty;
    AdviceRange range;
    std::string probeRun;
    std::vector<ForecastRow> rows;      // by targetSeconds, those without after them; what computes alone last
    std::vector<FormulaTime> formulas;  // times of every algorithm by formula alone; no run was made for them
    std::optional<double> bucketMb;     // with which synchronous SGD takes least time, of those tried
    std::optional<SyncHiding> sync;     // with these buckets
    std::int64_t targetSteps = 0;       // the experiment's own length
    bool byFormula = false;             // collectives by formula: as the file says, or for too many ranks
    std::optional<Target> target;
};

struct ForecastOptions {
    double allowedOverhead = 0.02;
    double efficiency = kWantedEfficiency;
    bool contentionSeen = true;    // false: the virtual cluster is of a calibration that could not tell κ
    std::optional<Target> target;  // really trained for, by every row, on the virtual cluster
};

// True if the collectives of an experiment are forecast by formula: its file says so, or messages would take too long.
// Background traffic needs messages to share links with, so it excludes the formula.
[[nodiscard]] bool goesByFormula(const Value& document, int workers);

// A sentence if another row than the advised one comes first; `rows` are sorted.
[[nodiscard]] std::optional<std::string> reasonAdviceIsNotFirst(const std::vector<ForecastRow>& rows);

// Forecasts `document`, an onlyDocument() on a virtual cluster. Errors: those of the document, a run that does not
// finish.
[[nodiscard]] Result<Forecast> forecast(RunSession& session, Value document, const ForecastOptions& options);

}  // namespace dasgd::experiments
