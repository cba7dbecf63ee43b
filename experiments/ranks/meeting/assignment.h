// The message of rank 0 to the other ranks of a run that was started by hand: the run's identity and its clock.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/clock.h"
#include "core/base/result.h"

namespace dasgd::experiments {

struct Assignment {
    std::string runId;
    std::string boot;   // boot id of rank 0's host
    Ns origin = 0;      // instant 0 of the run by the raw monotonic clock of that host
    Ns realOrigin = 0;  // instant 0 of the run by the calendar
    // Run from whose checkpoint this one resumes, and the step of the checkpoint; "": it begins at step 0.
    std::string resumedFrom;
    std::int64_t resumedStep = 0;

    [[nodiscard]] std::string text() const;
    // Errors: rank 0 said why it could not start; it is of another version.
    static Result<Assignment> from(const std::string& text);
    // By this host's raw monotonic clock. Between hosts the calendar gives a first guess; the ranks measure the rest.
    [[nodiscard]] Ns originHere() const;
};

}  // namespace dasgd::experiments
