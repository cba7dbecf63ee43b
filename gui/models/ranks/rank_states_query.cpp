#include "gui/models/ranks/rank_states_query.h"

#include <algorithm>
#include <utility>

namespace dasgd::gui {

namespace {

constexpr Ns kReach = 2'000'000'000;
constexpr Ns kLeastReach = 100'000'000, kMostReach = 64'000'000'000;
// More spans than these are not read twice a second: the reach is halved until fewer are.
constexpr std::size_t kManySpans = 20'000;

}  // namespace

void RankStatesQuery::setWanted(bool wanted) {
    if (wanted_.exchange(wanted) == wanted || !wanted) return;
    wantedAnew_ = true;
    ask();
}

Status RankStatesQuery::refresh(LiveStore& store) {
    if (!wanted_) return {};
    if (wantedAnew_.exchange(false)) interval_.hurry();
    const QString& run = store.watch().run;
    if (std::exchange(watchedSince_, store.watchedSince()) != store.watchedSince()) {
        revision_ = -1;
        reach_ = kReach;
        heard_.clear();
        interval_.hurry();
    }
    if (revision_ == store.revision() || !store.runs().contains(run) || !interval_.due()) return {};
    const qint64 begun = interval_.now();
    RankStates states{.runId = run};
    DASGD_ASSIGN(states.timed, store.reader().ranks(run.toStdString()));
    if (store.isLive(run)) {
        DASGD_TRY(readNow(store, states));
    } else {
        DASGD_ASSIGN(const storage::RunDetail ended, store.reader().run(run.toStdString()));
        states.straggler = ended.straggler;
    }
    interval_.spent(interval_.now() - begun);
    revision_ = store.revision();
    deliver([this, states = std::move(states)] { emit arrived(states); });
    return {};
}

Status RankStatesQuery::readNow(LiveStore& store, RankStates& states) {
    const std::string id = states.runId.toStdString();
    DASGD_ASSIGN(const std::optional<TimeRange> extent, store.reader().spanExtent(id));
    if (!extent) return {};
    const RunItem& run = *store.runs().at(states.runId);
    TimeRange recent;
    std::vector<storage::SpanRow> spans;
    for (bool grows = true; grows;) {
        recent = {std::max(extent->start, extent->end - reach_), extent->end};
        DASGD_ASSIGN(spans, store.reader().spans(id, recent, 2 * kManySpans));
        states.now = ranksNow(spans, recent);
        // Rounds may be longer than the reach.
        grows = communicates(run.row) && needsMoreRounds(states.now) && recent.start > extent->start &&
                2 * spans.size() <= kManySpans && reach_ < kMostReach;
        if (grows) reach_ *= 2;
    }
    if (spans.size() > kManySpans && reach_ > kLeastReach) reach_ /= 2;
    // Cut off by the limit, ranks would be missing.
    if (spans.size() >= 2 * kManySpans) return {};
    hear(heard_, spans);
    states.heard = heard_;
    if (communicates(run.row)) forgetPartsOfRounds(states.now);
    states.hidden = hiddenNow(spans, recent);
    states.samplesPerS = samplesNow(states.now, samplesOfStep(run));
    for (const RankNow& rank : states.now) states.rateSeconds = std::max(states.rateSeconds, rank.rateSeconds);
    states.seconds = static_cast<double>(recent.end - recent.start) / 1e9;
    states.straggler = stragglerOf(spans);
    return {};
}

}  // namespace dasgd::gui
