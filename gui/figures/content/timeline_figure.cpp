#include "gui/figures/content/timeline_figure.h"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>

#include "gui/data/runs/run_config.h"
#include "gui/data/spans/span_cache.h"
#include "gui/data/spans/span_colors.h"
#include "gui/figures/model/rank_rows.h"
#include "gui/kit/plots/paper/paper_figure.h"
#include "gui/kit/theme/paper.h"
#include "gui/timeline/view/timeline_painter.h"

namespace dasgd::gui {

namespace {

constexpr double kSteps = 12;
constexpr double kHead = 14;  // points above the axis, for the legend's first row
constexpr double kLegendTop = 3, kLegendRow = 11, kLegendText = 10, kLegendGap = 10;
constexpr double kEdge = 2;     // white margin at either side, in points
constexpr double kNameGap = 8;  // from the name of a group to its lanes
constexpr TimelineMetrics kPaper{.labels = 68,
                                 .axis = 14,
                                 .computeLane = 14,
                                 .otherLane = 12,
                                 .laneGap = 3.5,
                                 .rankGap = 7,
                                 .leastScale = 1,
                                 .mostScale = 1};

QFont legendFont() { return interFont(7.5); }

TimelineStyle paperStyle(int label, int tick) {
    const Theme theme = paperTheme();
    TimelineStyle style = screenStyle(theme);
    style.muted = theme.line;
    style.strong = interFont(label, Weight::SemiBold);
    style.plain = interFont(label);
    style.small = interFont(tick);
    style.minimalBox = 0.25;
    style.crisp = false;
    return style;
}

// Names of the kinds. A kind that is hidden together with the one of its colour is not named: Passes with Backward,
// Reduce with Transfer, Snapshot with Merge.
QString kindsInWords(const KindSet& kinds) {
    QStringList names;
    const auto hidden = [&](SpanKind kind) { return kinds.test(static_cast<std::size_t>(kind)); };
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        const auto own = static_cast<SpanKind>(kind);
        const bool told = (own == SpanKind::Passes && hidden(SpanKind::Backward)) ||
                          (own == SpanKind::Reduce && hidden(SpanKind::Transfer)) ||
                          (own == SpanKind::Snapshot && hidden(SpanKind::Merge));
        if (kinds.test(kind) && !told) names << QString::fromLatin1(kSpanKindNames[kind].data());
    }
    return names.join(QStringLiteral(", "));
}

struct LegendEntry {
    QColor color;
    QString name;
    QPointF at;  // position of its square
};

// Legend of the kinds seen in the window, wrapped into rows between `left` and `right`.
std::vector<LegendEntry> legendOf(const TimelineFrame& frame, TimeRange window, double left, double right) {
    const auto seen = [&](TimeRange range) { return range.start < window.end && range.end > window.start; };
    std::set<SpanKind> kinds;
    for (const TimelineBox& box : frame.boxes) {
        if (seen({box.span.start, box.span.end})) kinds.insert(box.span.kind);
    }
    std::vector<LegendEntry> entries;
    for (const SpanKind kind : kinds) {
        entries.push_back({QColor::fromRgb(rgbOnPaper(kind)), QString::fromLatin1(nameOf(kind).data()), {}});
    }
    if (std::ranges::any_of(frame.untimed, [&](const TimelineGap& gap) { return seen(gap.range); })) {
        entries.push_back({untimedTint(paperStyle(8, 7)), QStringLiteral("not timed"), {}});
    }
    const QFontMetricsF metrics(legendFont());
    QPointF at(left, kLegendTop);
    for (LegendEntry& entry : entries) {
        const double width = kLegendText + metrics.horizontalAdvance(entry.name);
        if (at.x() > left && at.x() + width > right) at = {left, at.y() + kLegendRow};
        entry.at = at;
        at.rx() += width + kLegendGap;
    }
    return entries;
}

void paintLegend(QPainter& painter, const std::vector<LegendEntry>& legend) {
    painter.setFont(legendFont());
    for (const LegendEntry& entry : legend) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(entry.color);
        painter.drawRect(QRectF(entry.at, QSizeF(7, 7)));
        painter.setPen(Qt::black);
        painter.drawText(entry.at + QPointF(kLegendText, 6.5), entry.name);
    }
}

}  // namespace

std::uint32_t rgbOnPaper(SpanKind kind) {
    constexpr std::uint32_t kSnapshotOnPaper = 0x6B2A50;
    return kind == SpanKind::Snapshot ? kSnapshotOnPaper : rgbOf(kind);
}

Result<std::optional<TimeRange>> steadyWindow(storage::SpanReader& reader, const storage::RunDetail& run) {
    DASGD_ASSIGN(const std::optional<TimeRange> extent, reader.extent(run.row.runId));
    if (!extent) return std::optional<TimeRange>{};
    const double all = static_cast<double>(extent->end - extent->start);
    const double step = run.row.steps > 0 ? all / static_cast<double>(run.row.steps) : all;
    const Ns half = static_cast<Ns>(std::min(all, kSteps * step) / 2);
    std::optional<TimeRange> best;
    Ns leastEvaluating = std::numeric_limits<Ns>::max();
    for (const double part : {0.5, 0.45, 0.55, 0.4, 0.6, 0.35, 0.65}) {
        const Ns middle = extent->start + static_cast<Ns>(all * part);
        const TimeRange window{middle - half, middle + half};
        DASGD_ASSIGN(const std::vector<storage::SpanRow> spans, reader.touching(run.row.runId, window));
        Ns evaluating = 0;
        for (const storage::SpanRow& row : spans) {
            if (row.span.kind == SpanKind::Eval) evaluating += row.span.end - row.span.start;
        }
        if (evaluating < leastEvaluating) best = window;
        leastEvaluating = std::min(leastEvaluating, evaluating);
    }
    return best;
}

TimelineChoice firstRanks(int ranks, int workers) {
    TimelineChoice choice;
    for (int rank = 0; rank < std::min(ranks, workers); ++rank) choice.rows.push_back({.ranks = {rank}});
    return choice;
}

Result<TimelineChoice> timelineChoiceOf(const FigureSpec& spec, int workers) {
    TimelineChoice choice = firstRanks(spec.ranks, workers);
    if (!spec.rankRows.isEmpty()) {
        DASGD_ASSIGN(choice.rows, rowPlanOf(spec.rankRows));
        std::set<int> missing;
        for (RankGroup& row : choice.rows) {
            std::erase_if(row.ranks, [&](int rank) { return rank >= workers && (missing.insert(rank), true); });
        }
        if (!missing.empty()) {
            choice.missing = missing.size() == 1 ? QStringLiteral("rank %1 is not in this run").arg(*missing.begin())
                                                 : QStringLiteral("%1 ranks from %2 on are not in this run")
                                                       .arg(missing.size())
                                                       .arg(*missing.begin());
        }
        std::erase_if(choice.rows, [](const RankGroup& row) { return row.ranks.empty(); });
    }
    for (std::size_t kind = 0; kind < kSpanKindNames.size(); ++kind) {
        choice.hidden.set(kind, spec.hiddenKinds.contains(QLatin1String(kSpanKindNames[kind].data())));
    }
    return choice;
}

Result<TimelineContent> readTimeline(storage::SpanReader& reader, const storage::RunDetail& run, TimeRange window,
                                     double widthIn, const TimelineChoice& choice, std::size_t mostSpans) {
    const Ns margin = window.end - window.start;
    SpanCache cache;
    cache.reset(run.row.runId, run.row.workers);
    cache.grown(false);
    const double perPoint = static_cast<double>(margin) / (widthIn * kPointsPerInch - kPaper.labels);
    const TimelineView view{.range = {window.start - margin, window.end + margin},
                            .nsPerPixel = perPoint / 4,
                            .places = {0, static_cast<int>(choice.rows.size()) - 1},
                            .plan = std::make_shared<const RowPlan>(choice.rows),
                            .hidden = choice.hidden};
    for (bool complete = false; !complete;) {
        DASGD_ASSIGN(complete, cache.load(reader, view, std::chrono::hours(1)));
    }
    TimelineContent content{.frame = cache.frame(view), .window = window};
    for (TimelineBox& box : content.frame.boxes) {
        if (box.rgb == rgbOf(box.span.kind)) box.rgb = rgbOnPaper(box.span.kind);
    }
    std::set<int> ranks;
    for (const RankGroup& row : choice.rows) ranks.insert(row.ranks.begin(), row.ranks.end());
    // The limit is applied here: one in the query would count the spans of ranks that are not drawn.
    DASGD_ASSIGN(content.spans, reader.touching(run.row.runId, window));
    std::erase_if(content.spans, [&ranks](const storage::SpanRow& row) { return !ranks.contains(row.rank); });
    content.cut = content.spans.size() > mostSpans;
    if (content.cut) {
        std::sort(content.spans.begin(), content.spans.end(), [](const auto& a, const auto& b) {
            return std::pair(a.span.start, a.rank) < std::pair(b.span.start, b.rank);
        });
        content.spans.resize(mostSpans);
    }

    QStringList remarks;
    if (static_cast<std::size_t>(run.row.workers) > ranks.size())
        remarks << QStringLiteral("%1 of %2 ranks").arg(ranks.size()).arg(run.row.workers);
    if (!choice.missing.isEmpty()) remarks << choice.missing;
    if (choice.hidden.any()) remarks << QStringLiteral("not drawn: ") + kindsInWords(choice.hidden);
    if (run.row.timeSimulated) remarks << QStringLiteral("time simulated");
    if (run.linkEmulated) remarks << QStringLiteral("link emulated ") + linkInWords(run.link);
    if (content.cut) remarks << QStringLiteral("CSV: the first %1 spans").arg(mostSpans);
    content.remark = remarks.join(QStringLiteral(", "));
    return content;
}

PaperPage layOut(const TimelineContent& content, double widthIn, int label, int tick) {
    const double width = widthIn * kPointsPerInch;
    TimelineStyle style = paperStyle(label, tick);
    style.milliseconds = content.fromZero;
    TimelineMetrics paper = kPaper;
    paper.labels = labelsWidth(content.frame.rows, style, kPaper.labels);
    if (content.frame.plan) {
        const double lane = std::ceil(QFontMetricsF(style.small).horizontalAdvance(QStringLiteral("compute")));
        for (const RankGroup& row : *content.frame.plan) {
            const double name = std::ceil(QFontMetricsF(style.strong).horizontalAdvance(row.name)) + kNameGap;
            paper.labels = std::max(paper.labels, row.isGroup() || row.name.isEmpty() ? name : name + lane + kNameGap);
        }
    }
    const double rows = TimelineLayout::heightFor(content.frame.rows, paper, 1);
    const std::vector<LegendEntry> legend =
        legendOf(content.frame, content.window, kEdge + paper.labels, width - kEdge);
    const double head = kHead + (legend.empty() ? 0 : legend.back().at.y() - kLegendTop);
    const double height = std::ceil(head + rows + 6);
    // The page outlives `content`, so it keeps a copy.
    const auto kept = std::make_shared<const TimelineContent>(content);
    return {{width, height}, [=](QPaintDevice& device, double scale) {
                QPainter painter(&device);
                painter.setRenderHint(QPainter::Antialiasing);
                painter.scale(scale, scale);
                // Grid lines end on the page.
                painter.setClipRect(QRectF(0, 0, width, height - 1));
                const TimelineLayout layout(kept->frame.rows, QRectF(kEdge, head, width - 2 * kEdge, rows), paper);
                paintTimeline(painter, kept->frame, layout, {kept->window, layout.plot().left(), layout.plot().width()},
                              style);
                paintLegend(painter, legend);
            }};
}

}  // namespace dasgd::gui
