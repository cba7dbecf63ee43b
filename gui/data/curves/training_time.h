// Conversion of wall time to training time: seconds since the first step without evaluations and checkpoints, in which
// the time to a target is given. Evaluations record it (`eval/trained_s`, storage/format.md); other instants follow
// from them.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "gui/kit/curves/series.h"
#include "storage/read/metric_reader.h"
#include "storage/runs/run_row.h"

namespace dasgd::gui {

class TrainingClock {
public:
    struct Evaluation {
        double endS = 0;      // s since the run began
        double trainedS = 0;  // s of training until the evaluation began
    };
    // `evaluations`: in order of time, at least one.
    explicit TrainingClock(std::vector<Evaluation> evaluations) : evaluations_(std::move(evaluations)) {}
    // nullopt if time is real and no evaluation recorded its training time. Errors: of the database.
    [[nodiscard]] static Result<std::optional<TrainingClock>> read(storage::MetricReader& reader,
                                                                   const storage::RunRow& row);
    // Like read(), from the evaluations of a run read so far.
    [[nodiscard]] static std::optional<TrainingClock> of(const Series& trained, bool timeSimulated);
    // Training time at an instant of the run, in seconds; nullopt before its first step.
    [[nodiscard]] std::optional<double> at(double wallS) const;

private:
    std::vector<Evaluation> evaluations_;
};

// The series over training time; records from before the first step are left out.
[[nodiscard]] Series onTrainingTime(const Series& series, const TrainingClock& clock);
// The series of a run over its training time; empty if that was not recorded. Errors: of the database.
[[nodiscard]] Result<Series> onTrainingTime(storage::MetricReader& reader, const storage::RunRow& row,
                                            const Series& series);

}  // namespace dasgd::gui
