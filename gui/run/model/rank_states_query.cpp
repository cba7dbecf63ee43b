#include "gui/run/model/rank_states_query.h"

#include <algorithm>
#include <utility>

namespace dasgd::gui {

namespace {

constexpr Ns kReach = 2'000'000'000;
// With many ranks, a millisecond may have as many spans as can be read.
constexpr Ns kLeastReach = 1'000'000, kMostReach = 64'000'000'000;
// Above this number of spans the stretch is halved for the next refresh.
constexpr std::size_t kManySpans = 20'000;

}  // namespace

void RankStatesQuery::setWanted(bool wanted) { wanted_.set(wanted); }

Status RankStatesQuery::refresh(LiveStore& store) {
    const auto [isWanted, isNew] = wanted_.look();
    if (!isWanted) return {};
    if (isNew) fresh_.hurry();
    const QString& run = store.watch().run;
    if (fresh_.follow(store)) {
        reach_ = kReach;
        heard_.clear();
    }
    if (!fresh_.due(store) || !store.runs().contains(run)) return {};
    fresh_.begin(store);
    RankStates states{.runId = run};
    DASGD_ASSIGN(states.timed, store.reader().runs().ranks(run.toStdString()));
    if (store.isLive(run)) {
        DASGD_TRY(readNow(store, states));
    } else {
        DASGD_ASSIGN(const storage::RunDetail ended, store.reader().runs().detail(run.toStdString()));
        states.straggler = ended.straggler;
    }
    fresh_.end();
    deliver([this, states = std::move(states)] { emit arrived(states); });
    return {};
}

Status RankStatesQuery::readNow(LiveStore& store, RankStates& states) {
    const std::string id = states.runId.toStdString();
    DASGD_ASSIGN(const std::optional<TimeRange> extent, store.reader().spans().extent(id));
    if (!extent) return {};
    const RunItem& run = *store.runs().at(states.runId);
    const auto newest = [&](Ns reach) { return TimeRange{std::max(extent->start, extent->end - reach), extent->end}; };
    TimeRange recent = newest(reach_);
    DASGD_ASSIGN(std::vector<storage::SpanRow> spans, store.reader().spans().touching(id, recent, 2 * kManySpans));
    std::vector<RankNow> now = ranksNow(spans, recent);
    states.hasRounds = communicates(run.row);
    // A round or two steps may be longer than the stretch.
    const auto grows = [&] {
        return needsMore(now, states.hasRounds) && recent.start > extent->start && 2 * spans.size() <= kManySpans &&
               reach_ < kMostReach;
    };
    // Doubled once per refresh, as other queries wait for this thread.
    if (grows()) {
        reach_ *= 2;
        recent = newest(reach_);
        DASGD_ASSIGN(spans, store.reader().spans().touching(id, recent, 2 * kManySpans));
        now = ranksNow(spans, recent);
    }
    const bool many = spans.size() > kManySpans;
    if (many) reach_ = std::max(kLeastReach, reach_ / 2);
    // The spans were cut off by the limit, so ranks would be missing.
    if (spans.size() >= 2 * kManySpans) return {};
    hear(heard_, spans);
    states.heard = heard_;
    // After one long round or a stall the stretch is halved again, or the numbers would cover a minute for ever.
    while (!many && reach_ > kReach) {
        const TimeRange half = newest(reach_ / 2);
        std::vector<storage::SpanRow> later = spans;
        std::erase_if(later, [&](const storage::SpanRow& row) { return row.span.end <= half.start; });
        std::vector<RankNow> nowLater = ranksNow(later, half);
        if (!tellsAsMuch(nowLater, now, states.hasRounds)) break;
        reach_ /= 2;
        recent = half;
        spans = std::move(later);
        now = std::move(nowLater);
    }
    if (states.hasRounds) forgetRatesOfSteps(now);
    states.now = std::move(now);
    states.hidden = hiddenNow(spans, recent);
    states.samplesPerS = samplesNow(states.now, samplesOfStep(run));
    for (const RankNow& rank : states.now) states.rateSeconds = std::max(states.rateSeconds, rank.rateSeconds);
    states.seconds = static_cast<double>(recent.end - recent.start) / 1e9;
    states.straggler = stragglerOf(spans);
    return {};
}

}  // namespace dasgd::gui
