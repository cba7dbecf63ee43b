#include "experiments/ranks/meeting/assignment.h"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/utc.h"

namespace dasgd::experiments {

namespace {

Result<RankPlaces> placesSaid(Decision& decision, const Seat& seat, const std::string& home) {
    RankPlaces places;
    for (int rank = 1; rank < seat.size; ++rank) {
        DASGD_ASSIGN(const std::string place, decision.saidBy(rank));
        if (place != home) places.away.push_back(rank);
    }
    places.together = places.away.empty();
    return places;
}

}  // namespace

std::string bootId() {
    std::string id;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> id;
    return id;
}

std::string placeOf(const storage::WorkspacePaths& paths) {
    // Containers of one host may each have a folder of their own at the same path.
    struct stat found {};
    const bool there = ::stat(paths.root.c_str(), &found) == 0;
    const std::string folder = there ? std::to_string(found.st_dev) + ":" + std::to_string(found.st_ino) : "";
    return bootId() + " " + folder + " " + paths.root.string();
}

std::string Assignment::text() const {
    return nlohmann::json{{"run", runId},       {"boot", boot},        {"origin", origin},
                          {"real", realOrigin}, {"from", resumedFrom}, {"step", resumedStep},
                          {"intake", intake},   {"mark", mark},        {"away", places.away}}
        .dump();
}

Result<Assignment> Assignment::from(const std::string& text) {
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object()) return fail("rank 0 sent something that is no assignment; are all ranks of one version?");
    Assignment told{.runId = json.value("run", ""),
                    .boot = json.value("boot", ""),
                    .origin = json.value("origin", Ns{0}),
                    .realOrigin = json.value("real", Ns{0}),
                    .resumedFrom = json.value("from", ""),
                    .resumedStep = json.value("step", std::int64_t{0}),
                    .intake = json.value("intake", ""),
                    .mark = json.value("mark", ""),
                    .places = {.away = json.value("away", std::vector<int>())}};
    told.places.together = told.places.away.empty();
    return told;
}

Ns Assignment::originHere() const {
    if (boot == bootId()) return origin;
    return MonotonicClock::rawNow() - (calendarNow() - realOrigin);
}

Result<Assignment> joinRun(const Seat& seat, const std::string& place, const FoundRun& found) {
    Decision decision(seat, "run");
    const auto told = decision.reach(place, [&]() -> Result<std::string> {
        DASGD_ASSIGN(const RankPlaces places, placesSaid(decision, seat, place));
        DASGD_ASSIGN(Assignment assignment, found(places));
        assignment.places = places;
        return assignment.text();
    });
    if (!told) return fail((seat.rank == 0 ? "" : "rank 0 could not start: ") + told.error().message);
    DASGD_ASSIGN(Assignment assignment, Assignment::from(*told));
    assignment.places.atHome = std::ranges::count(assignment.places.away, seat.rank) == 0;
    return assignment;
}

}  // namespace dasgd::experiments
