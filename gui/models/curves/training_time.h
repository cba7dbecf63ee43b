// Seconds of training in the place of seconds since the run began: from the first step on, without evaluations and
// checkpoints. It is the time that a target is reached in, and what a run's evaluations recorded of it
// (`eval/trained_s`, storage/format.md) tells it of every other instant.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "gui/models/live/series.h"
#include "storage/run_reader.h"

namespace dasgd::gui {

class TrainingClock {
public:
    struct Evaluation {
        double endS = 0;      // since the run began
        double trainedS = 0;  // until the evaluation began
    };
    // In their order, one at least.
    explicit TrainingClock(std::vector<Evaluation> evaluations) : evaluations_(std::move(evaluations)) {}
    // nullopt where time is real and no evaluation said how long the run had trained. Errors: of the database.
    [[nodiscard]] static Result<std::optional<TrainingClock>> read(storage::RunReader& reader,
                                                                   const storage::RunRow& row);
    // The same of what is read of a run's evaluations so far.
    [[nodiscard]] static std::optional<TrainingClock> of(const Series& trained, bool timeSimulated);
    // How long the run had trained at an instant of it; nullopt before its first step.
    [[nodiscard]] std::optional<double> at(double wallS) const;

private:
    std::vector<Evaluation> evaluations_;
};

// The series with seconds of training as its time; what was recorded before the first step is left out.
[[nodiscard]] Series onTrainingTime(const Series& series, const TrainingClock& clock);
// The same of a run's series; empty where its time of training was not recorded. Errors: of the database.
[[nodiscard]] Result<Series> onTrainingTime(storage::RunReader& reader, const storage::RunRow& row,
                                            const Series& series);

}  // namespace dasgd::gui
