#include "experiments/ranks/meeting/rank_outcomes.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

namespace dasgd::experiments {

namespace {

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

const char* statusOf(RankState state) {
    return state == RankState::Finished ? "finished" : state == RankState::Stopped ? "stopped" : "failed";
}

std::vector<RankOutcome> exchangeOutcomes(const Seat& seat, const RankOutcome& own,
                                          std::function<std::int64_t()> moved) {
    Decision decision(seat, "outcomes", {.moved = std::move(moved)});
    if (own.status == statusOf(RankState::Failed)) {
        static_cast<void>(decision.say(toText({own})));
        return {own};
    }
    const auto told = decision.reach(toText({own}), [&]() -> Result<std::string> {
        std::vector<RankOutcome> all{own};
        for (int rank = 1; rank < seat.size; ++rank) {
            const auto said = decision.saidBy(rank);
            if (!said) break;
            std::ranges::move(outcomesFrom(*said), std::back_inserter(all));
        }
        return toText(all);
    });
    return told ? outcomesFrom(*told) : std::vector{own};
}

}  // namespace dasgd::experiments
