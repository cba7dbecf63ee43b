#include "experiments/ranks/meeting/rank_outcomes.h"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

namespace dasgd::experiments {

namespace {

// Rank 0 waits for each of the others in turn, the others for what it tells then.
constexpr std::chrono::milliseconds kSlack{5000};

std::string placeKey(int rank) { return "place/" + std::to_string(rank); }
std::string outcomeKey(int rank) { return "outcome/" + std::to_string(rank); }

std::string toText(const std::vector<RankOutcome>& outcomes) {
    auto json = nlohmann::json::array();
    for (const RankOutcome& one : outcomes) {
        json.push_back({{"rank", one.rank}, {"status", one.status}, {"place", one.place}});
    }
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<RankOutcome> outcomesFrom(const std::string& text) {
    std::vector<RankOutcome> outcomes;
    const auto json = nlohmann::json::parse(text, nullptr, false);
    for (const auto& one : json.is_array() ? json : nlohmann::json::array()) {
        if (!one.is_object()) continue;
        outcomes.push_back({one.value("rank", -1), one.value("status", ""), one.value("place", "")});
    }
    return outcomes;
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

Result<RankPlaces> sharePlaces(Rendezvous& store, int rank, int size, const std::string& place) {
    DASGD_TRY(store.set(placeKey(rank), place));
    RankPlaces places;
    if (rank != 0) {
        DASGD_ASSIGN(const std::string together, store.get("together"));
        DASGD_ASSIGN(const std::string home, store.get(placeKey(0)));
        places.together = together == "1";
        places.atHome = home == place;
        return places;
    }
    for (int other = 1; other < size; ++other) {
        DASGD_ASSIGN(const std::string theirs, store.get(placeKey(other)));
        if (theirs != place) places.away.push_back(other);
    }
    places.together = places.away.empty();
    DASGD_TRY(store.set("together", places.together ? "1" : "0"));
    return places;
}

const char* statusOf(RankState state) {
    return state == RankState::Finished ? "finished" : state == RankState::Stopped ? "stopped" : "failed";
}

std::vector<RankOutcome> exchangeOutcomes(Rendezvous& store, const RankOutcome& own, int size,
                                          std::chrono::milliseconds timeout, ProgressWait::Moved moved) {
    if (!store.set(outcomeKey(own.rank), toText({own})) || own.status == statusOf(RankState::Failed)) return {own};
    ProgressWait wait(store, "outcomes", own.rank, own.rank == 0 ? timeout : timeout + kSlack, std::move(moved));
    if (own.rank != 0) {
        const auto told = wait.get("outcomes");
        return told ? outcomesFrom(*told) : std::vector{own};
    }
    std::vector<RankOutcome> all{own};
    for (int rank = 1; rank < size; ++rank) {
        const auto text = wait.get(outcomeKey(rank));
        if (!text) break;
        std::ranges::move(outcomesFrom(*text), std::back_inserter(all));
    }
    static_cast<void>(store.set("outcomes", toText(all)));
    return all;
}

}  // namespace dasgd::experiments
