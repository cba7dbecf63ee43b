// train.checkpoint: how often the ranks save their state, and how much of it is kept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/clock.h"
#include "core/base/schema/fields.h"

namespace dasgd {

// Interval between checkpoints: one of the two members is set.
struct CheckpointInterval {
    std::int64_t steps = 0;
    Ns time = 0;
};

struct CheckpointParams {
    std::string every = "10min";
    std::int64_t keep = 3;
    bool best = false;
    void visit(auto&& f) {
        f(every, "every",
          {.help =
               "Interval between checkpoints: a time, such as \"10min\" or \"1h\", or steps, such as \"500 steps\". A "
               "run that is stopped leaves a checkpoint in any case, and a run that ends leaves its model"});
        f(keep, "keep",
          {.min = 1,
           .max = 1e6,
           .help = "Number of checkpoints kept; older ones are removed once a newer one is whole"});
        f(best, "best",
          {.help = "Keep the model of the evaluation that was best on the validation set too (needs data.validation)"});
    }
    [[nodiscard]] std::optional<FieldError> check() const;
    // Interval of fields that have passed check().
    [[nodiscard]] CheckpointInterval interval() const;
};

}  // namespace dasgd
