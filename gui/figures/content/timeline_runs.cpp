#include "gui/figures/content/timeline_runs.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "gui/data/runs/run_config.h"
#include "gui/figures/content/figure_curves.h"
#include "gui/figures/export/figure_files.h"
#include "gui/figures/model/figure_runs.h"
#include "gui/kit/words/words.h"
#include "gui/timeline/model/measure_table.h"

namespace dasgd::gui {

namespace {

QString tidy(double value) { return std::isfinite(value) ? shortNumber(value, 4) : kAbsent; }

// Adds the totals of the window's spans by kind, over all ranks, as on the Timeline page. `name`: of the run, in a
// first column; "" for no such column.
Status addTotals(storage::SpanReader& reader, const RunItem& run, TimeRange window, const QString& name,
                 FigureTable& table) {
    SpanMeasure measuring(run.row.runId, window, static_cast<int>(run.row.workers));
    for (bool whole = false; !whole;) {
        DASGD_ASSIGN(whole, measuring.read(reader, std::chrono::hours(1)));
    }
    const MeasureTable totals = tableOf(measuring.result());
    table.columns = {QStringLiteral("what"), QStringLiteral("mean [ms]"), QStringLiteral("most [ms]"),
                     QStringLiteral("share [%]")};
    if (!name.isEmpty()) table.columns.prepend(QStringLiteral("run"));
    const auto add = [&](const MeasureLine& line, const QString& before) {
        QStringList row{before + line.what, tidy(line.meanMs), line.most, percent(line.share)};
        if (!name.isEmpty()) row.prepend(name);
        table.rows.push_back(std::move(row));
    };
    for (std::size_t i = 0; i < totals.lines.size(); ++i) {
        add(totals.lines[i], i < totals.beside ? QString() : QStringLiteral("beside: "));
    }
    for (const MeasureLine& line : totals.idle) add(line, QStringLiteral("idle or waiting: "));
    table.notes << (name.isEmpty() ? QString() : name + QStringLiteral(": ")) +
                       QStringLiteral("mean of %1, %2 to %3 s of the run; the rows down to idle add up to it")
                           .arg(ranksOf(totals))
                           .arg(static_cast<double>(window.start) / 1e9, 0, 'f', 3)
                           .arg(static_cast<double>(window.end) / 1e9, 0, 'f', 3);
    return {};
}

Result<std::optional<TimeRange>> windowOf(storage::SpanReader& reader, const FigureSpec& spec,
                                          const storage::RunDetail& run) {
    if (!spec.windowS) return steadyWindow(reader, run);
    return std::optional(
        TimeRange{static_cast<Ns>(spec.windowS->low * 1e9), static_cast<Ns>(spec.windowS->high * 1e9)});
}

QString withoutSpans(const QString& run) {
    return QStringLiteral("%1 was recorded without spans: set record.trace = \"full\".").arg(run);
}

Status readOne(storage::WorkspaceReader& reader, const FigureSpec& spec, std::span<const RunItemPtr> runs,
               FigureContent& into) {
    const auto reduces =
        std::find_if(runs.begin(), runs.end(), [](const RunItemPtr& run) { return run->row.hidden.has_value(); });
    const RunItemPtr shown = reduces == runs.end() ? runs.front() : *reduces;
    DASGD_ASSIGN(const storage::RunDetail detail, reader.runs().detail(shown->row.runId));
    DASGD_ASSIGN(const std::optional<TimeRange> window, windowOf(reader.spans(), spec, detail));
    if (!window) {
        into.nothing = withoutSpans(shown->id);
        return {};
    }
    DASGD_ASSIGN(const TimelineChoice choice, timelineChoiceOf(spec, detail.row.workers));
    if (choice.rows.empty()) {
        into.nothing = QStringLiteral("%1 has no rank of the rows %2.").arg(shown->id, spec.rankRows);
        return {};
    }
    DASGD_ASSIGN(into.timeline, readTimeline(reader.spans(), detail, *window, spec.inchesWide(), choice));
    if (!into.timeline->remark.isEmpty()) into.notes << into.timeline->remark;
    DASGD_TRY(addTotals(reader.spans(), *shown, *window, {}, into.table));
    const QString name = runTitle(shown->row);
    into.sources.push_back({curveKey(*shown), name, name, {}, {shown}, {true}});
    return {};
}

// A run that is drawn beside others.
struct Part {
    RunItemPtr run;
    storage::RunDetail detail;
    TimeRange window;
    TimelineChoice choice;
    const CompareGroup* group = nullptr;
};

// Beginning of the first step within the window; its own beginning where none begins in its first half.
Result<Ns> firstStep(storage::SpanReader& reader, const Part& part, double widthIn) {
    DASGD_ASSIGN(const TimelineContent content, readTimeline(reader, part.detail, part.window, widthIn, part.choice));
    const Ns start = part.window.start, middle = start + (part.window.end - start) / 2;
    for (const StepMark& step : content.frame.steps) {
        if (step.start >= start && step.start < middle) return step.start;
    }
    return start;
}

Result<std::vector<Part>> partsOf(storage::WorkspaceReader& reader, const FigureSpec& spec,
                                  std::span<const RunItemPtr> runs, const std::vector<CompareGroup>& groups,
                                  FigureContent& into) {
    std::vector<Part> parts;
    for (const RunItemPtr& run : runs) {
        const auto group = std::ranges::find(groups, run->group, &CompareGroup::key);
        const bool taken = std::ranges::any_of(parts, [&](const Part& part) { return part.group == &*group; });
        if (taken || parts.size() == kMostTimelines) continue;
        Part part{.run = run, .group = &*group};
        DASGD_ASSIGN(part.detail, reader.runs().detail(run->row.runId));
        DASGD_ASSIGN(const std::optional<TimeRange> window, windowOf(reader.spans(), spec, part.detail));
        if (!window) {
            into.notes << withoutSpans(run->id);
            continue;
        }
        part.window = *window;
        DASGD_ASSIGN(part.choice, timelineChoiceOf(spec, part.detail.row.workers));
        if (!part.choice.rows.empty()) parts.push_back(std::move(part));
    }
    const auto placeOf = [&](const Part& part) {
        const auto isIt = [&](const QString& name) {
            return name == part.group->name || meansCurve(name, curveKey(*part.run), part.group->usualName);
        };
        return std::ranges::find_if(spec.order, isIt) - spec.order.begin();
    };
    std::ranges::stable_sort(parts, {}, placeOf);
    return parts;
}

Status readEach(storage::WorkspaceReader& reader, const FigureSpec& spec, std::span<const RunItemPtr> runs,
                std::span<const RunItemPtr> all, FigureContent& into) {
    const std::vector<CompareGroup> groups = figureGroups(runs, all, spec.names);
    DASGD_ASSIGN(std::vector<Part> parts, partsOf(reader, spec, runs, groups, into));
    if (parts.empty()) {
        into.nothing =
            into.notes.isEmpty() ? QStringLiteral("None of these runs has these ranks.") : into.notes.front();
        return {};
    }
    Ns length = parts.front().window.end - parts.front().window.start;
    for (const Part& part : parts) length = std::min(length, part.window.end - part.window.start);
    std::vector<NamedTimeline> timelines;
    QString csv;
    for (Part& part : parts) {
        if (!spec.windowS) {
            DASGD_ASSIGN(part.window.start, firstStep(reader.spans(), part, spec.inchesWide()));
        }
        part.window.end = part.window.start + length;
        const QString& name = part.group->name;
        DASGD_ASSIGN(TimelineContent content,
                     readTimeline(reader.spans(), part.detail, part.window, spec.inchesWide(), part.choice));
        if (!content.remark.isEmpty()) into.notes << name + QStringLiteral(": ") + content.remark;
        DASGD_TRY(addTotals(reader.spans(), *part.run, part.window, name, into.table));
        QStringList lines = spansCsv(content.spans).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        if (csv.isEmpty()) csv = QStringLiteral("configuration,run_id,") + lines.front() + QLatin1Char('\n');
        lines.removeFirst();
        for (const QString& line : lines)
            csv += csvField(name) + u',' + csvField(part.run->id) + u',' + line + QLatin1Char('\n');
        into.notes << QStringLiteral("%1: zero is %2 s of run %3")
                          .arg(name)
                          .arg(static_cast<double>(part.window.start) / 1e9, 0, 'f', 3)
                          .arg(part.run->id);
        into.sources.push_back(
            {curveKey(*part.run), part.group->usualName, name, part.group->style, {part.run}, {true}});
        timelines.push_back({name, std::move(content)});
    }
    into.csv = csv;
    into.timeline = joined(std::move(timelines));
    return {};
}

}  // namespace

TimelineContent joined(std::vector<NamedTimeline> parts) {
    TimelineContent whole{.fromZero = true};
    auto plan = std::make_shared<RowPlan>();
    int ranks = 0;  // of the parts before, as each rank of each part has a number of its own
    for (NamedTimeline& part : parts) {
        TimelineFrame& frame = part.content.frame;
        const Ns zero = part.content.window.start;
        const auto places = static_cast<int>(plan->size()), rows = static_cast<int>(whole.frame.rows.size());
        const int before = ranks;
        whole.window = {0, part.content.window.end - zero};
        const bool alone = frame.plan->size() == 1;
        for (RankGroup group : *frame.plan) {
            const QString rank = QStringLiteral("rank %1").arg(group.ranks.front());
            group.name = alone ? part.name : part.name + QStringLiteral(", ") + (group.isGroup() ? group.name : rank);
            for (int& one : group.ranks) {
                one += before;
                ranks = std::max(ranks, one + 1);
            }
            plan->push_back(std::move(group));
        }
        for (TimelineRow row : frame.rows) {
            row.place = row.placeOf() + places;
            row.rank += before;
            whole.frame.rows.push_back(row);
        }
        for (TimelineBox box : frame.boxes) {
            box.row += rows;
            box.span.start -= zero;
            box.span.end -= zero;
            whole.frame.boxes.push_back(std::move(box));
        }
        for (const TimelineLink& link : frame.links)
            whole.frame.links.push_back({link.rank + before, link.launch - zero, link.use - zero});
        for (const TimelineGap& gap : frame.untimed)
            whole.frame.untimed.push_back({gap.place + places, {gap.range.start - zero, gap.range.end - zero}});
        whole.frame.spans += frame.spans;
        whole.cut = whole.cut || part.content.cut;
    }
    whole.frame.range = whole.window;
    whole.frame.places = {0, static_cast<int>(plan->size()) - 1};
    whole.frame.plan = std::move(plan);
    return whole;
}

Status readTimelines(storage::WorkspaceReader& reader, const FigureSpec& spec, std::span<const RunItemPtr> runs,
                     std::span<const RunItemPtr> all, FigureContent& into) {
    return spec.eachRun ? readEach(reader, spec, runs, all, into) : readOne(reader, spec, runs, into);
}

}  // namespace dasgd::gui
