#include "gui/run/model/span_series_query.h"

#include <chrono>
#include <utility>

namespace dasgd::gui {

namespace {

constexpr std::chrono::milliseconds kSeriesBudget{40};

}  // namespace

void SpanSeriesQuery::want(const std::string& name) {
    wished_.change([&](std::map<std::string, int>& holders) { ++holders[name]; });
}

void SpanSeriesQuery::release(const std::string& name) {
    wished_.change([&](std::map<std::string, int>& holders) {
        if (int& own = holders[name]; own > 0) --own;
    });
}

Status SpanSeriesQuery::refresh(LiveStore& store) {
    std::vector<std::string> names;
    const auto [wished, areNew] = wished_.look();
    for (const auto& [name, holders] : wished) {
        if (holders > 0) names.push_back(name);
    }
    const auto known = store.runs().find(store.watch().run);
    if (names.empty() || known == store.runs().end()) return {};
    const RunItem& run = *known->second;
    if (fresh_.follow(store)) {
        slices_.reset();
        reading_ = false;
    }
    live_ = store.isLive(run.id);
    if (!reading_ && !fresh_.due(store)) {
        if (areNew && slices_) tell(run, names);
        return {};
    }
    fresh_.begin(store);
    DASGD_ASSIGN(const std::optional<TimeRange> extent, store.reader().spans().extent(run.row.runId));
    if (extent && extent->end > extent->start) {
        if (!slices_) {
            DASGD_ASSIGN(slices_, SpanSlices::of(store.reader().spans(), run.row.runId, *extent));
        }
        DASGD_ASSIGN(const bool done, read(store.reader().spans(), run, *extent));
        reading_ = !done;
        if (reading_) return ask(), Status{};
        tell(run, names);
    }
    fresh_.end();
    return {};
}

Result<bool> SpanSeriesQuery::read(storage::SpanReader& reader, const RunItem& run, TimeRange extent) {
    const auto deadline = std::chrono::steady_clock::now() + kSeriesBudget;
    while (std::chrono::steady_clock::now() < deadline) {
        DASGD_ASSIGN(const bool more, slices_->readNext(reader, run, extent, live_));
        if (!more) return true;
    }
    return false;
}

void SpanSeriesQuery::tell(const RunItem& run, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        RankBatch batch{run.id, name, true, slices_->windows().curve(name, samplesOfStep(run), !live_)};
        deliver([this, batch = std::move(batch)] { emit arrived(batch); });
    }
}

}  // namespace dasgd::gui
