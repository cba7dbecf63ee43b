// Division of each step's samples among ranks that are not equally fast (train.balance = "rate").
//
// A rank's rate is the samples of its steps since the last exchange over the time in which it computed them: batches,
// passes and updates, without any waiting. All ranks exchange their rates every train.rebalance steps, so that each
// knows all batches. Until the first exchange the rates are equal. Where an update takes time whatever the batch, the
// exchanges go to batches with which all ranks compute equally long.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/clock.h"
#include "core/experiment/plan.h"
#include "core/step/archive.h"
#include "core/step/step_context.h"

namespace dasgd {

// Owner: the rank's training thread.
class BatchBalance {
public:
    // `every`: train.rebalance. `plan` outlives this; all of its workers train.
    BatchBalance(const Plan& plan, std::int64_t every);

    // Samples of each rank in step `step`, as the rates known now divide them.
    [[nodiscard]] std::vector<std::int64_t> batchesOf(std::int64_t step) const;
    [[nodiscard]] std::int64_t batchOf(Rank rank, std::int64_t step) const;
    // Share of the rank's samples in those of step `step`, times the number of ranks: 1 where batches are equal.
    [[nodiscard]] double weightOf(Rank rank, std::int64_t step) const;

    // Counts a step of this rank, and the time that it computed for it.
    void made(std::int64_t samples, Ns computed) {
        samples_ += samples;
        computed_ += computed;
    }
    // Exchanges the rates if it is time after step `step`. Collective over all ranks; throws CommError.
    void afterStep(StepContext& context, std::int64_t step);

    // The rates and what was counted since their exchange.
    void save(Archive& archive) const;
    [[nodiscard]] Status load(const Archive& archive);

private:
    void take(const std::vector<double>& rates);

    const Plan& plan_;
    std::int64_t every_;
    std::vector<double> rates_;  // of each rank, in samples per second, or all 1
    std::int64_t samples_ = 0;
    Ns computed_ = 0;
};

}  // namespace dasgd
