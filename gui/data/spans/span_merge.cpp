#include "gui/data/spans/span_merge.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "core/analysis/spans/intervals.h"
#include "core/analysis/spans/timings.h"
#include "gui/data/spans/span_colors.h"

namespace dasgd::gui {

namespace {

// The short spans of one pixel, or of one longer bucket, summed by kind.
class Sum {
public:
    void add(const TimelineItem& item) {
        // A span of zero length counts as 1 ns, or its colour would be lost.
        byKind_[static_cast<std::size_t>(item.kind)] += std::max<Ns>(1, item.covered);
        last_ = item;
        first_ = count_ == 0 ? item.start : std::min(first_, item.start);
        // The places of spans in a bucket are not known, so buckets do not extend the box beyond the pixel.
        if (item.span) end_ = std::max(end_, item.start + item.length);
        count_ += item.count;
    }
    [[nodiscard]] bool empty() const { return count_ == 0; }

    [[nodiscard]] TimelineBox box(std::int32_t row, Ns from, Ns to) const {
        TimelineBox box{.row = row, .count = count_};
        if (count_ == 1 && last_.span) {
            box.span = *last_.span;
            box.rgb = rgbOf(last_.kind);
            return box;
        }
        Ns total = 0;
        std::array<double, 3> mean{};
        std::size_t most = 0;
        for (std::size_t kind = 0; kind < byKind_.size(); ++kind) {
            if (byKind_[kind] == 0) continue;
            total += byKind_[kind];
            if (byKind_[kind] > byKind_[most]) most = kind;
            for (std::size_t channel = 0; channel < 3; ++channel) {
                const auto part = (kSpanRgb[kind] >> (16 - 8 * channel)) & 0xff;
                mean[channel] += static_cast<double>(byKind_[kind]) * part;
            }
        }
        for (const double channel : mean) {
            box.rgb = box.rgb << 8 | static_cast<std::uint32_t>(std::lround(channel / static_cast<double>(total)));
        }
        box.cover = static_cast<float>(std::min(1.0, static_cast<double>(total) / static_cast<double>(to - from)));
        box.span = {.lane = last_.lane, .kind = static_cast<SpanKind>(most), .step = last_.step};
        box.span.start = std::min(from, first_);
        box.span.end = std::max(to, end_);
        return box;
    }

private:
    std::array<Ns, kSpanKindNames.size()> byKind_{};
    TimelineItem last_;
    Ns first_ = 0, end_ = 0;
    std::uint32_t count_ = 0;
};

}  // namespace

void mergeLane(const std::vector<TimelineItem>& items, std::int32_t row, double nsPerPixel,
               std::vector<TimelineBox>& boxes) {
    // Pixels are whole nanoseconds, counted from the run's start, so that colours do not change while panning.
    const Ns pixel = std::max<Ns>(1, std::llround(nsPerPixel));
    const auto pixelOf = [pixel](Ns t) { return t >= 0 ? t / pixel : (t - pixel + 1) / pixel; };
    Sum sum;
    TimeRange at;
    const auto flush = [&] {
        if (!sum.empty()) boxes.push_back(sum.box(row, at.start, at.end));
        sum = {};
    };
    for (const TimelineItem& item : items) {
        if (item.span && item.length >= pixel) {
            // No later item starts in the pixel, so boxes stay ordered by start.
            if (!sum.empty() && item.start >= at.end) flush();
            boxes.push_back({.row = row, .rgb = rgbOf(item.kind), .span = *item.span});
            continue;
        }
        const Ns first = pixelOf(item.start) * pixel;
        const TimeRange own =
            item.length > pixel ? TimeRange{item.start, item.start + item.length} : TimeRange{first, first + pixel};
        if (!sum.empty() && (own.start != at.start || own.end != at.end)) flush();
        at = own;
        sum.add(item);
    }
    flush();
}

void linkCollectives(const std::vector<Span>& spans, int rank, std::vector<TimelineLink>& links) {
    struct Parts {
        std::optional<TimeRange> reduce;  // skew and transfer, or the undivided span
        const Span* merge = nullptr;
        const Span* wait = nullptr;
    };
    std::map<std::uint64_t, Parts> parts;
    for (const Span& span : spans) {
        if (span.collective == 0) continue;
        Parts& part = parts[span.collective];
        if (isReduce(span.kind)) {
            if (!part.reduce) part.reduce = TimeRange{span.start, span.end};
            part.reduce = TimeRange{std::min(part.reduce->start, span.start), std::max(part.reduce->end, span.end)};
        }
        if (span.kind == SpanKind::Merge) part.merge = &span;
        if (span.kind == SpanKind::Wait) part.wait = &span;
    }
    for (const auto& [collective, part] : parts) {
        const Span* use = part.merge ? part.merge : part.wait;
        if (part.reduce && use) links.push_back({rank, part.reduce->start, use->start});
    }
}

void findUntimed(const std::vector<TimeRange>& windows, int place, TimeRange range, bool ended,
                 std::vector<TimelineGap>& gaps) {
    Ns from = range.start;
    for (const TimeRange& window : unionOf(windows)) {
        if (from < std::min(window.start, range.end))
            gaps.push_back({place, {from, std::min(window.start, range.end)}});
        from = std::max(from, window.end);
    }
    if (ended && from < range.end) gaps.push_back({place, {from, range.end}});
}

}  // namespace dasgd::gui
