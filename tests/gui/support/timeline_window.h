// A figure's timeline of a second, made by hand.
#pragma once

#include <QString>
#include <memory>

#include "gui/data/spans/span_colors.h"
#include "gui/figures/content/figure_content.h"

namespace dasgd::gui {

// A rank by itself with a collective that ends after the window, a group of three, which is called `others`, and a span
// outside the window, which lasts from second 1 to second 2.
inline TimelineContent oneWindowOf(const QString& others) {
    constexpr Ns kSecond = 1'000'000'000;
    TimelineContent timeline{.window = {kSecond, 2 * kSecond}};
    timeline.frame.plan =
        std::make_shared<const RowPlan>(RowPlan{{.ranks = {0}}, {.name = others, .ranks = {1, 2, 3}}});
    timeline.frame.rows = {
        {.rank = 0, .place = 0}, {.rank = 0, .lane = Lane::Comm, .place = 0}, {.rank = 1, .ranks = 3, .place = 1}};
    const auto box = [](std::int32_t row, SpanKind kind, Ns start, Ns end) {
        return TimelineBox{.row = row, .rgb = rgbOf(kind), .span = {.kind = kind, .start = start, .end = end}};
    };
    timeline.frame.boxes = {
        box(0, SpanKind::Forward, kSecond, kSecond * 3 / 2), box(0, SpanKind::Eval, 2 * kSecond, 3 * kSecond),
        box(1, SpanKind::Transfer, kSecond * 5 / 4, 3 * kSecond), box(2, SpanKind::Backward, kSecond, 2 * kSecond)};
    return timeline;
}

}  // namespace dasgd::gui
