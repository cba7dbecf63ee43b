#include "experiments/ranks/meeting/assignment.h"

#include <nlohmann/json.hpp>

#include "core/base/utc.h"
#include "experiments/ranks/meeting/rank_outcomes.h"

namespace dasgd::experiments {

std::string Assignment::text() const {
    return nlohmann::json{{"run", runId},       {"boot", boot},        {"origin", origin},
                          {"real", realOrigin}, {"from", resumedFrom}, {"step", resumedStep}}
        .dump();
}

Result<Assignment> Assignment::from(const std::string& text) {
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object()) return fail("rank 0 sent something that is no assignment; are all ranks of one version?");
    if (json.contains("error")) return fail("rank 0 could not start: " + json.value("error", ""));
    return Assignment{json.value("run", ""),     json.value("boot", ""), json.value("origin", Ns{0}),
                      json.value("real", Ns{0}), json.value("from", ""), json.value("step", std::int64_t{0})};
}

Ns Assignment::originHere() const {
    if (boot == bootId()) return origin;
    return MonotonicClock::rawNow() - (calendarNow() - realOrigin);
}

}  // namespace dasgd::experiments
