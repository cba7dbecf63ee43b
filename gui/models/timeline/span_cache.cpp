#include "gui/models/timeline/span_cache.h"

#include <algorithm>

namespace dasgd::gui {

namespace {

constexpr std::int64_t kTilesAtOnce = 8;
constexpr std::size_t kMostLinkedSpans = 40'000;  // of a rank; beyond, a link is too short to be seen
constexpr int kLanes = 3;

std::int64_t tileOf(Ns t) { return t >= 0 ? t / SpanCache::kTile : -1; }

std::size_t rowOf(int rank, Lane lane) {
    return static_cast<std::size_t>(rank) * kLanes + static_cast<std::size_t>(lane);
}

}  // namespace

void SpanCache::reset(int workers) { *this = SpanCache{}, workers_ = workers; }

void SpanCache::grown(Ns newest, bool live) {
    settledBefore_ = live ? newest - kLateness : newest + kTile;
    live_ = live;
    for (auto& [index, tile] : tiles_) {
        if (!tile.settled) tile.fresh = false;
    }
}

Result<bool> SpanCache::load(TimeRange range, const Fetch& fetch, std::chrono::milliseconds budget) {
    const auto deadline = std::chrono::steady_clock::now() + budget;
    const std::int64_t first = std::max<std::int64_t>(0, tileOf(range.start));
    const std::int64_t last = tileOf(range.end);
    for (std::int64_t at = first; at <= last;) {
        const auto known = tiles_.find(at);
        if (known != tiles_.end() && known->second.fresh) {
            ++at;
            continue;
        }
        std::int64_t until = at;
        while (until < last && until - at + 1 < kTilesAtOnce) {
            const auto next = tiles_.find(until + 1);
            if (next != tiles_.end() && next->second.fresh) break;
            ++until;
        }
        DASGD_ASSIGN(const std::vector<storage::SpanRow> spans, fetch({at * kTile, (until + 1) * kTile}));
        store(at, until, spans);
        at = until + 1;
        if (size_ > kMostSpans) evict(first, last);
        if (at <= last && std::chrono::steady_clock::now() > deadline) return false;
    }
    return true;
}

void SpanCache::store(std::int64_t first, std::int64_t last, const std::vector<storage::SpanRow>& spans) {
    for (std::int64_t at = first; at <= last; ++at) {
        Tile& tile = tiles_[at];
        size_ -= tile.size;
        tile = {.fresh = true, .settled = !live_ || (at + 1) * kTile < settledBefore_};
    }
    const auto put = [](std::vector<std::vector<Span>>& rows, std::size_t row, const Span& span) {
        if (rows.size() <= row) rows.resize(row + 1);
        rows[row].push_back(span);
    };
    for (const storage::SpanRow& item : spans) {
        workers_ = std::max(workers_, item.rank + 1);
        const bool window = item.span.kind == SpanKind::Window;
        windows_ = windows_ || window;
        io_ = io_ || (item.span.lane == Lane::Io && !window);
        const std::size_t row = rowOf(item.rank, item.span.lane);
        const std::int64_t begins = tileOf(item.span.start);
        const std::int64_t ends = std::min(last, tileOf(item.span.end));
        for (std::int64_t at = std::max(first, begins); at <= std::max(ends, begins); ++at) {
            Tile& tile = tiles_[at];
            put(at == begins ? tile.rows : tile.entering, row, item.span);
            ++tile.size;
            ++size_;
        }
    }
    const auto byStart = [](const Span& a, const Span& b) { return a.start < b.start; };
    for (std::int64_t at = first; at <= last; ++at) {
        for (auto& row : tiles_[at].rows) {
            if (!std::is_sorted(row.begin(), row.end(), byStart)) std::stable_sort(row.begin(), row.end(), byStart);
        }
    }
}

void SpanCache::evict(std::int64_t first, std::int64_t last) {
    for (auto at = tiles_.begin(); at != tiles_.end() && size_ > kMostSpans;) {
        if (at->first >= first && at->first <= last) {
            ++at;
            continue;
        }
        size_ -= at->second.size;
        at = tiles_.erase(at);
    }
}

template <class Take>
void SpanCache::visit(TimeRange range, Take take) const {
    const std::int64_t first = std::max<std::int64_t>(0, tileOf(range.start));
    bool entered = false;
    for (auto at = tiles_.lower_bound(first); at != tiles_.end() && at->first <= tileOf(range.end); ++at) {
        if (!entered) {
            for (std::size_t row = 0; row < at->second.entering.size(); ++row) {
                for (const Span& span : at->second.entering[row]) {
                    if (span.end >= range.start) take(row, span);
                }
            }
            entered = true;
        }
        for (std::size_t row = 0; row < at->second.rows.size(); ++row) {
            for (const Span& span : at->second.rows[row]) {
                if (span.start > range.end) break;
                if (span.end >= range.start) take(row, span);
            }
        }
    }
}

TimelineFrame SpanCache::frame(TimeRange range, double nsPerPixel) const {
    TimelineFrame frame{.range = range, .nsPerPixel = nsPerPixel};
    std::vector<std::vector<Span>> rows(static_cast<std::size_t>(workers_) * kLanes);
    std::vector<std::vector<Span>> windows(static_cast<std::size_t>(workers_));
    visit(range, [&](std::size_t row, const Span& span) {
        (span.kind == SpanKind::Window ? windows[row / kLanes] : rows[row]).push_back(span);
    });
    for (int rank = 0; rank < workers_; ++rank) {
        std::vector<Span> linked;
        for (const Lane lane : {Lane::Compute, Lane::Comm, Lane::Io}) {
            if (lane == Lane::Io && !io_) continue;
            const std::vector<Span>& spans = rows[rowOf(rank, lane)];
            mergeLane(spans, static_cast<std::int32_t>(frame.rows.size()), nsPerPixel, frame.boxes);
            frame.rows.push_back({rank, lane});
            frame.spans += spans.size();
            for (const Span& span : spans) {
                if (span.collective != 0) linked.push_back(span);
            }
        }
        if (windows_) findUntimed(windows[static_cast<std::size_t>(rank)], rank, range, !live_, frame.untimed);
        if (linked.size() <= kMostLinkedSpans) linkCollectives(linked, rank, frame.links);
    }
    return frame;
}

Measure SpanCache::measure(TimeRange range) const {
    std::vector<std::vector<Span>> ranks(static_cast<std::size_t>(workers_));
    visit(range, [&](std::size_t row, const Span& span) { ranks[row / kLanes].push_back(span); });
    Measure measure{.range = range};
    for (const std::vector<Span>& spans : ranks) {
        if (spans.empty()) continue;
        const OverlapSummary one = summariseOverlap(spans, range);
        measure.mean.transfer += one.transfer;
        measure.mean.skew += one.skew;
        measure.mean.reduce += one.reduce;
        measure.mean.compute += one.compute;
        measure.mean.hidden += one.hidden;
        measure.mean.blocked += one.blocked;
        measure.mean.idle += one.idle;
        ++measure.ranks;
    }
    if (measure.ranks == 0) {
        measure.mean.idle = range.end - range.start;
        return measure;
    }
    for (Ns* sum : {&measure.mean.transfer, &measure.mean.skew, &measure.mean.reduce, &measure.mean.compute,
                    &measure.mean.hidden, &measure.mean.blocked, &measure.mean.idle}) {
        *sum /= measure.ranks;
    }
    return measure;
}

}  // namespace dasgd::gui
