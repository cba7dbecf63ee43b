#include "gui/models/timeline/share_columns.h"

#include <algorithm>
#include <cmath>

#include "gui/models/timeline/span_colors.h"

namespace dasgd::gui {

namespace {

// From the bottom to the top.
constexpr std::array kStack{SpanKind::Forward,    SpanKind::Backward, SpanKind::Passes,   SpanKind::Update,
                            SpanKind::Snapshot,   SpanKind::Merge,    SpanKind::Data,     SpanKind::Eval,
                            SpanKind::Checkpoint, SpanKind::Wait,     SpanKind::Transfer, SpanKind::Reduce,
                            SpanKind::Skew};
constexpr float kAlike = 1.0F / 64;  // shares that differ less are drawn as one
constexpr float kLeast = 1.0F / 512;

Ns columnOf(Ns t, Ns pixel) { return t >= 0 ? t / pixel : (t - pixel + 1) / pixel; }

}  // namespace

ShareColumns::ShareColumns(TimeRange range, double nsPerPixel, std::size_t ranks)
    : pixel_(std::max<Ns>(1, std::llround(nsPerPixel))),
      first_(columnOf(range.start, pixel_)),
      full_(static_cast<float>(pixel_) * static_cast<float>(ranks)),
      columns_(static_cast<std::size_t>(std::max<Ns>(1, columnOf(range.end, pixel_) - first_ + 1))) {}

void ShareColumns::add(SpanKind kind, Ns start, Ns length, Ns covered, std::int64_t step) {
    const auto place = static_cast<std::size_t>(kind);
    const Ns end = start + std::max<Ns>(1, length);
    const auto last = static_cast<Ns>(columns_.size()) - 1;
    const Ns from = columnOf(start, pixel_) - first_, to = columnOf(end - 1, pixel_) - first_;
    if (to < 0 || from > last) return;
    const float density = static_cast<float>(covered) / static_cast<float>(end - start);
    for (Ns at = std::max<Ns>(0, from); at <= std::min(last, to); ++at) {
        const Ns left = (first_ + at) * pixel_;
        Column& column = columns_[static_cast<std::size_t>(at)];
        column.byKind[place] += density * static_cast<float>(std::min(end, left + pixel_) - std::max(start, left));
        column.step = std::max(column.step, step);
    }
}

void ShareColumns::boxes(std::int32_t row, std::vector<TimelineBox>& boxes) const {
    constexpr std::size_t kNone = ~std::size_t{0};
    std::array<std::size_t, kStack.size()> open;
    open.fill(kNone);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const Column& column = columns_[i];
        float sum = 0;
        for (const float time : column.byKind) sum += time;
        const float all = std::max(full_, sum);
        const Ns left = (first_ + static_cast<Ns>(i)) * pixel_;
        float base = 0;
        for (std::size_t k = 0; k < kStack.size(); ++k) {
            const float share = column.byKind[static_cast<std::size_t>(kStack[k])] / all;
            if (share < kLeast) {
                open[k] = kNone;
                base += share;
                continue;
            }
            TimelineBox* before = open[k] == kNone ? nullptr : &boxes[open[k]];
            if (before && std::abs(before->cover - share) < kAlike && std::abs(before->base - base) < kAlike) {
                before->span.end = left + pixel_;
            } else {
                open[k] = boxes.size();
                boxes.push_back({.row = row,
                                 .rgb = rgbOf(kStack[k]),
                                 .count = 2,
                                 .cover = share,
                                 .span = {.kind = kStack[k], .step = column.step, .start = left, .end = left + pixel_},
                                 .base = base});
            }
            base += share;
        }
    }
}

}  // namespace dasgd::gui
