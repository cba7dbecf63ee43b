// Whole pictures that the painters draw from fixed data: tests of single pixels do not see a picture that fell apart.
#include "tests/gui/support/golden.h"

#include <gtest/gtest.h>

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <span>

#include "gui/kit/plots/bar_chart.h"
#include "gui/kit/plots/heat_map.h"
#include "gui/kit/plots/paper/paper_charts.h"
#include "gui/kit/plots/paper/paper_figure.h"
#include "gui/kit/plots/parallel_plot.h"
#include "gui/timeline/view/timeline_painter.h"
#include "tests/gui/support/bench.h"
#include "tests/support/units.h"

namespace dasgd::gui {
namespace {

using test::kMs;

// Two ranks of DaSGD, τ = 4, d = 2: what a step has, a reduction that hides, and a wait where the slower rank is late.
std::vector<Span> spansOf(int rank) {
    std::vector<Span> spans;
    const Ns forward = (10 + 2 * rank) * kMs, backward = 2 * forward;
    Ns at = 5 * kMs;
    std::uint64_t reduction = 1;
    const auto add = [&](Lane lane, SpanKind kind, std::int64_t step, Ns start, Ns end, std::uint64_t collective = 0) {
        spans.push_back({.lane = lane,
                         .kind = kind,
                         .step = step,
                         .start = start,
                         .end = end,
                         .bytes = kind == SpanKind::Transfer ? 246'824 : 0,
                         .collective = collective});
    };
    for (std::int64_t step = 1; step <= 8; ++step) {
        add(Lane::Compute, SpanKind::Data, step, at, at + 2 * kMs);
        add(Lane::Compute, SpanKind::Forward, step, at + 2 * kMs, at + 2 * kMs + forward);
        at += 2 * kMs + forward;
        add(Lane::Compute, SpanKind::Backward, step, at, at + backward);
        at += backward;
        add(Lane::Compute, SpanKind::Update, step, at, at + 3 * kMs);
        at += 3 * kMs;
        if (step % 4 == 0) {
            add(Lane::Compute, SpanKind::Snapshot, step, at, at + 2 * kMs);
            add(Lane::Comm, SpanKind::Skew, step, at + 2 * kMs, at + (20 - 15 * rank) * kMs, reduction);
            add(Lane::Comm, SpanKind::Transfer, step, at + (20 - 15 * rank) * kMs, at + 70 * kMs, reduction++);
            at += 2 * kMs;
        }
        if (step == 6) {
            add(Lane::Compute, SpanKind::Wait, step, at, at + 12 * kMs, 1);
            add(Lane::Compute, SpanKind::Merge, step, at + 12 * kMs, at + 15 * kMs, 1);
            at += 15 * kMs;
        }
    }
    return spans;
}

// Flow lines, from where an average is launched to where it is merged.
std::vector<TimelineLink> linksOf(int rank, std::span<const Span> spans) {
    std::vector<TimelineLink> links;
    for (const Span& merge : spans) {
        if (merge.kind != SpanKind::Merge) continue;
        const auto snapshot = std::ranges::find(spans, SpanKind::Snapshot, &Span::kind);
        links.push_back({.rank = rank, .launch = snapshot->end, .use = merge.start});
    }
    return links;
}

QImage timelineIn(const TimelineStyle& style) {
    QImage image(900, 260, QImage::Format_RGB32);
    image.fill(style.ground);
    TimelineFrame frame;
    for (const int rank : {0, 1}) {
        frame.rows.push_back({rank, Lane::Compute});
        frame.rows.push_back({rank, Lane::Comm});
    }
    const TimelineLayout layout(frame.rows, QRectF(image.rect()), {.labels = labelsWidth(frame.rows, style, 110)});
    const TimeScale scale{{0, 400 * kMs}, layout.plot().left(), layout.plot().width()};
    const std::array<std::vector<Span>, 2> spans{spansOf(0), spansOf(1)};  // to which the boxes refer
    for (std::size_t row = 0; row < frame.rows.size(); ++row) {
        std::vector<TimelineItem> items;
        for (const Span& span : spans[static_cast<std::size_t>(frame.rows[row].rank)]) {
            if (span.lane == frame.rows[row].lane) items.push_back(itemOf(span));
        }
        mergeLane(items, row, scale.nsPerPixel(), frame.boxes);
    }
    for (const int rank : {0, 1}) {
        for (const TimelineLink& link : linksOf(rank, spans[static_cast<std::size_t>(rank)]))
            frame.links.push_back(link);
    }
    TimelineMarks marks;
    marks.notes[1] = {QStringLiteral("12 % later"), true};
    QPainter painter(&image);
    paintTimeline(painter, frame, layout, scale, style, marks);
    return image;
}

std::vector<Curve> curvesWithBands() {
    std::vector<Curve> curves;
    for (int which = 0; which < 3; ++which) {
        Curve curve{.name = QStringList{QStringLiteral("dasgd d = 2"), QStringLiteral("local_sgd"),
                                        QStringLiteral("sync_sgd")}[which],
                    .style = {which, which, which}};
        for (int i = 0; i <= 60; ++i) {
            curve.line.x.push_back(100.0 * i);
            curve.line.y.push_back(0.3 * which + 2.0 * std::exp(-0.05 * i));
            curve.deviation.push_back(0.05 + 0.1 * std::exp(-0.1 * i));
        }
        curves.push_back(std::move(curve));
    }
    return curves;
}

QImage paperCurves(std::vector<Curve> curves) {
    const PaperFigure figure{.curves = std::move(curves),
                             .axes = {.x = QStringLiteral("steps"), .y = QStringLiteral("training loss")}};
    return imageOf(layOut(figure), 2);
}

BarChart bars() {
    BarChart chart{.axis = QStringLiteral("time to accuracy 98.5 % [s]")};
    chart.bars = {{.label = QStringLiteral("dasgd d = 2"),
                   .style = {0, 0, 0},
                   .value = 17.9,
                   .interval = 1.2,
                   .words = QStringLiteral("17.9 ± 1.2"),
                   .ratio = QStringLiteral("÷ 0.45"),
                   .count = QStringLiteral("5 of 5"),
                   .primary = true},
                  {.label = QStringLiteral("sync_sgd"),
                   .style = {1, 1, 1},
                   .value = 40.1,
                   .interval = 0.4,
                   .words = QStringLiteral("40.1 ± 0.4"),
                   .count = QStringLiteral("5 of 5"),
                   .hollow = true},
                  {.label = QStringLiteral("independent"),
                   .style = {2, 2, 2},
                   .words = QStringLiteral("not reached"),
                   .count = QStringLiteral("0 of 5")}};
    return chart;
}

HeatMap map() {
    HeatMap map{.rows = {QStringLiteral("τ 4"), QStringLiteral("τ 8")},
                .columns = {QStringLiteral("d 1"), QStringLiteral("d 2"), QStringLiteral("d 3")},
                .title = QStringLiteral("time per step [ms]"),
                .lowIsGood = true};
    for (int i = 0; i < 6; ++i) {
        HeatCell cell{.text = QString::number(10 + i), .under = QStringLiteral("n 3"), .incomplete = i == 2};
        cell.primary = i == 1;
        if (i == 4)
            cell.text.clear();
        else
            cell.value = 10 + i;
        map.cells.push_back(std::move(cell));
    }
    return map;
}

ParallelPlot parallel() {
    ParallelPlot plot;
    plot.axes = {{.title = QStringLiteral("algorithm"),
                  .kind = ParallelAxis::Kind::Category,
                  .categories = {QStringLiteral("dasgd"), QStringLiteral("sync_sgd")}},
                 {.title = QStringLiteral("d"), .low = 1, .high = 3},
                 {.title = QStringLiteral("loss"), .kind = ParallelAxis::Kind::Log, .low = 0.01, .high = 1}};
    plot.lines = {{.name = QStringLiteral("a"), .style = {0, 0, 0}, .values = {0, 3, 0.1}},
                  {.name = QStringLiteral("b"), .style = {1, 1, 1}, .values = {1, std::nullopt, 1}},
                  {.name = QStringLiteral("c"), .style = {2, 2, 2}, .values = {0, 1, 0.02}}};
    plot.brushes = {std::nullopt, std::pair(0.5, 3.0), std::nullopt};
    return plot;
}

// Samples a second over the number of workers; one line is simulated, and hollow.
std::vector<Curve> scalingLines() {
    std::vector<Curve> lines;
    for (int which = 0; which < 2; ++which) {
        Curve line{
            .name = QStringList{QStringLiteral("dasgd d = 2"), QStringLiteral("sync_sgd (time simulated)")}[which],
            .style = {which, which, which},
            .kind = Curve::Kind::Points,
            .hollow = which == 1};
        for (const int workers : {1, 2, 4, 8, 16}) {
            line.line.x.push_back(workers);
            line.line.y.push_back(workers * 1000.0 / (1 + 0.02 * (1 + 3 * which) * workers));
            line.deviation.push_back(40.0 * workers);
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

// Two numbers of each run.
std::vector<Curve> scatteredRuns() {
    std::vector<Curve> groups = scalingLines();
    for (std::size_t group = 0; group < groups.size(); ++group) {
        groups[group].kind = Curve::Kind::Scatter;
        groups[group].deviation.clear();
        groups[group].line = {};
        for (int run = 0; run < 6; ++run) {
            groups[group].line.x.push_back(10 + 3 * run + 2.0 * static_cast<double>(group));
            groups[group].line.y.push_back(0.9 - 0.01 * run * (run % 3) - 0.04 * static_cast<double>(group));
        }
    }
    return groups;
}

template <class Draw>
QImage onScreen(ThemeName theme, QSize size, const Draw& draw) {
    const PlotStyle style = screenPlotStyle(loadTheme(theme));
    QImage image(size, QImage::Format_RGB32);
    image.fill(style.ground);
    QPainter painter(&image);
    draw(painter, QRectF(image.rect()), style);
    return image;
}

TEST(Golden, TimelinesInBothThemes) {
    expectGolden(timelineIn(screenStyle(loadTheme(ThemeName::Dark))), QStringLiteral("timeline-dark"));
    expectGolden(timelineIn(screenStyle(loadTheme(ThemeName::Light))), QStringLiteral("timeline-light"));
}

TEST(Golden, CurvesWithBandsOnPaper) { expectGolden(paperCurves(curvesWithBands()), QStringLiteral("curves-paper")); }

TEST(Golden, ScalingAndScatterOnPaper) {
    const PaperFigure scaling{.curves = scalingLines(),
                              .axes = {.x = QStringLiteral("workers"),
                                       .y = QStringLiteral("samples per second"),
                                       .fromZero = true,
                                       .log2X = true},
                              .widthIn = 3.25};
    expectGolden(imageOf(layOut(scaling), 2), QStringLiteral("scaling-paper"));
    const PaperFigure scatter{.curves = scatteredRuns(),
                              .axes = {.x = QStringLiteral("time per step [ms]"), .y = QStringLiteral("test accuracy")},
                              .widthIn = 3.25};
    expectGolden(imageOf(layOut(scatter), 2), QStringLiteral("scatter-paper"));
}

TEST(Golden, BarsOnPaperAndScreen) {
    expectGolden(imageOf(layOut(PaperChart{bars(), 3.25}), 2), QStringLiteral("bars-paper"));
    expectGolden(onScreen(ThemeName::Dark, {520, 180},
                          [](QPainter& painter, const QRectF& area, const PlotStyle& style) {
                              paintBarChart(painter, area, bars(), style);
                          }),
                 QStringLiteral("bars-dark"));
}

TEST(Golden, MapsOnPaperAndScreen) {
    expectGolden(imageOf(layOut(PaperChart{map(), 3.25}), 2), QStringLiteral("map-paper"));
    expectGolden(onScreen(ThemeName::Light, {420, 200},
                          [](QPainter& painter, const QRectF& area, const PlotStyle& style) {
                              paintHeatMap(painter, area, map(), style);
                          }),
                 QStringLiteral("map-light"));
}

TEST(Golden, ParallelCoordinatesOnTheScreen) {
    expectGolden(onScreen(ThemeName::Dark, {500, 240},
                          [](QPainter& painter, const QRectF& area, const PlotStyle& style) {
                              paintParallelPlot(painter, area, parallel(), style);
                          }),
                 QStringLiteral("parallel-dark"));
}

// The tolerance must not hide errors.
TEST(Golden, WhatWouldBeAnErrorIsSeen) {
    const auto curves = [](auto change) {
        auto changed = curvesWithBands();
        change(changed);
        return differenceOf(paperCurves(changed), paperCurves(curvesWithBands()));
    };
    EXPECT_TRUE(isLike(curves([](auto&) {})));
    EXPECT_FALSE(isLike(curves([](auto& all) { all[1].deviation.clear(); }))) << "a band is gone";
    EXPECT_FALSE(isLike(curves([](auto& all) { all[1].name = QStringLiteral("local"); }))) << "a name is another";
    EXPECT_FALSE(isLike(curves([](auto& all) { std::swap(all[0].style, all[1].style); }))) << "colours are exchanged";
    const QImage whole = timelineIn(screenStyle(loadTheme(ThemeName::Dark)));
    QImage moved(whole.size(), whole.format());
    moved.fill(whole.pixel(0, 0));
    QPainter painter(&moved);
    painter.drawImage(2, 0, whole);
    painter.end();
    EXPECT_FALSE(isLike(differenceOf(moved, whole))) << "two pixels to the right";
}

}  // namespace
}  // namespace dasgd::gui
