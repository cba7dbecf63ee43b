#include "gui/data/spans/share_columns.h"

#include <algorithm>
#include <cmath>

#include "gui/data/spans/span_colors.h"

namespace dasgd::gui {

namespace {

// Kinds from bottom to top.
constexpr std::array kStack{SpanKind::Forward,    SpanKind::Backward, SpanKind::Passes,   SpanKind::Update,
                            SpanKind::Snapshot,   SpanKind::Merge,    SpanKind::Data,     SpanKind::Eval,
                            SpanKind::Checkpoint, SpanKind::Wait,     SpanKind::Transfer, SpanKind::Reduce,
                            SpanKind::Skew};
constexpr float kAlike = 1.0F / 64;  // differences in share below this are not drawn
constexpr float kLeast = 1.0F / 512;

}  // namespace

ShareColumns::ShareColumns(TimeRange range, double nsPerPixel, std::size_t ranks)
    : pixel_(std::max<Ns>(1, std::llround(nsPerPixel))),
      perPixel_(1 / static_cast<double>(pixel_)),
      first_(columnOf(range.start)),
      full_(static_cast<float>(pixel_) * static_cast<float>(ranks)),
      columns_(static_cast<std::size_t>(std::max<Ns>(1, columnOf(range.end) - first_ + 1))) {}

// Called millions of times per frame, so it multiplies instead of dividing and then corrects the rounding.
Ns ShareColumns::columnOf(Ns t) const {
    auto column = static_cast<Ns>(std::floor(static_cast<double>(t) * perPixel_));
    column -= column * pixel_ > t ? 1 : 0;
    column += (column + 1) * pixel_ <= t ? 1 : 0;
    return column;
}

void ShareColumns::add(SpanKind kind, Ns start, Ns length, Ns covered, std::int64_t step) {
    const auto place = static_cast<std::size_t>(kind);
    const Ns end = start + std::max<Ns>(1, length);
    const auto last = static_cast<Ns>(columns_.size()) - 1;
    const Ns from = columnOf(start) - first_;
    const Ns inFirst = (first_ + from + 1) * pixel_;
    const Ns to = end <= inFirst ? from : columnOf(end - 1) - first_;
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
