#include "gui/figures/content/compare_figure.h"

#include <QTextStream>
#include <algorithm>
#include <set>

#include "gui/compare/pictures/compare_pictures.h"
#include "gui/figures/content/figure_curves.h"
#include "gui/figures/content/setting_figure.h"
#include "gui/figures/export/figure_files.h"
#include "gui/figures/model/figure_runs.h"
#include "gui/kit/words/words.h"
#include "storage/compare/comparison.h"

namespace dasgd::gui {

namespace {

// The group whose name, usual name or curveKey() is `name`; null where there is none.
const CompareGroup* groupCalled(const std::vector<CompareGroup>& groups, const QString& name) {
    const auto found = std::ranges::find_if(groups, [&](const CompareGroup& group) {
        const auto means = [&](const RunItemPtr& run) { return meansCurve(name, curveKey(*run), group.usualName); };
        return name == group.name || std::ranges::any_of(group.runs, means);
    });
    return found == groups.end() ? nullptr : &*found;
}

// The numbers that a figure of this kind shows.
std::vector<CompareNumber> numbersOf(const FigureSpec& spec) {
    if (spec.kind == FigureKind::Scatter) return {spec.against, spec.number};
    return {spec.number};
}

QString countOf(const Sample& sample, const CompareGroup& group) {
    return sample.n == group.runs.size() ? QString::number(sample.n)
                                         : QStringLiteral("%1 of %2").arg(sample.n).arg(group.runs.size());
}

// Source of a group; `drawn` marks the runs whose numbers are in the picture.
FigureSource sourceOf(const CompareGroup& group, const ComparedGroup* row, const FigureSpec& spec,
                      const Compared& compared) {
    FigureSource source{.key = curveKey(*group.runs.front()),
                        .usualName = group.usualName,
                        .name = group.name,
                        .style = group.style,
                        .runs = group.runs};
    const std::vector<CompareNumber> numbers = numbersOf(spec);
    // A bar or a cell stands for a configuration as a whole, so either all of its runs with a number are drawn or none.
    const bool whole = spec.kind != FigureKind::Scatter;
    // `n` counts the runs that have the number, even where they are too few for a value.
    if (whole && row) source.n = countOf(sampleOf(*row, spec.number), group);
    const bool hasValue = !whole || (row && drawnSampleOf(*row, spec.number).n > 0);
    for (const RunItemPtr& run : group.runs) {
        source.drawn.push_back(hasValue && std::ranges::all_of(numbers, [&](CompareNumber number) {
                                   return isBehind(group, *run, number, compared);
                               }));
    }
    return source;
}

// True if bars are labelled with their ratios to the baseline.
bool hasRatios(const CompareView& view, const FigureSpec& spec) {
    return spec.kind == FigureKind::Bars && !ratiosInWords(view, spec.number).isEmpty();
}

FigureTable tableOf(const CompareView& view, const FigureSpec& spec) {
    FigureTable table{.columns = {QStringLiteral("configuration"), QStringLiteral("time"), QStringLiteral("n")}};
    for (const CompareNumber number : numbersOf(spec)) table.columns << numberTitle(view, number);
    const bool ratios = hasRatios(view, spec);
    if (ratios) table.columns << QStringLiteral("×");
    for (const std::size_t at : view.shown) {
        const CompareGroup& group = view.groups()[at];
        QStringList row{group.name, group.origin(), {}};
        for (const CompareNumber number : numbersOf(spec)) {
            const Sample sample = view.row(at) ? sampleOf(*view.row(at), number) : Sample{};
            // The two numbers of a scatter may come from different runs.
            const QString count = countOf(sample, group);
            if (row[2].isEmpty()) {
                row[2] = count;
            } else if (row[2] != count) {
                row[2] += QStringLiteral("; ") + count;
            }
            row << (view.row(at) ? numberInWords(*view.row(at), number, view.spread) : kAbsent);
        }
        if (ratios) row << ratioInWords(ratioToBaseline(view, at, spec.number), view.spread, at == *view.baseline());
        table.rows.push_back(std::move(row));
    }
    return table;
}

// CSV with a row for each configuration.
QString groupsCsv(const CompareView& view, const FigureSpec& spec, const FigureContent& content,
                  const std::map<std::string, double>& secondsToTarget) {
    QString out;
    QTextStream text(&out);
    const bool map = spec.kind == FigureKind::Map;
    text << "configuration,time,";
    if (map) text << csvField(spec.rows) << ',' << csvField(spec.columns) << ',';
    const bool over = spec.kind == FigureKind::Over && !spec.over.isEmpty();
    if (over) text << csvField(spec.over) << ',';
    const bool ratios = hasRatios(view, spec);
    const QString baseline = ratios ? view.groups()[*view.baseline()].name : QString();
    // If too few runs reach the target for a value, a column gives the times of those that did in words.
    const bool target = spec.number == CompareNumber::SecondsToTarget;
    text << csvField(numberTitle(view, spec.number)) << ",std,half_width_of_95_percent_interval,n,runs,left_out,run_ids"
         << (ratios ? ",ratio_to_baseline,ratio_half_width_of_95_percent_interval,baseline" : "")
         << (target ? ",in_words,reached_run_ids" : "") << '\n';
    for (const std::size_t at : view.shown) {
        const CompareGroup& group = view.groups()[at];
        const Sample sample = view.row(at) ? sampleOf(*view.row(at), spec.number) : Sample{};
        // A configuration without a bar has no value here; its n still counts the runs that reached the target.
        const Sample drawn = view.row(at) ? drawnSampleOf(*view.row(at), spec.number) : Sample{};
        text << csvField(group.name) << ',' << csvField(group.origin()) << ',';
        for (const QString& key : map    ? QStringList{spec.rows, spec.columns}
                                  : over ? QStringList{spec.over}
                                         : QStringList()) {
            const std::string* value = group.runs.front()->config.find(key.toStdString());
            text << csvField(value ? QString::fromStdString(*value) : QString()) << ',';
        }
        QStringList ids;
        const FigureSource& source = content.sources[at];
        for (std::size_t i = 0; i < source.runs.size(); ++i) {
            if (source.drawn[i]) ids << source.runs[i]->id;
        }
        text << csvNumber(drawn.n > 0 ? std::optional(drawn.mean) : std::nullopt) << ',' << csvNumber(drawn.std) << ','
             << csvNumber(drawn.confidence) << ',' << sample.n << ',' << group.runs.size() << ','
             << csvField(leftOutOf(group, Members::FinishedOnly).join(QStringLiteral("; "))) << ','
             << csvField(ids.join(QLatin1Char(' ')));
        if (const Sample ratio = ratioToBaseline(view, at, spec.number); ratios)
            text << ',' << csvNumber(ratio.n > 0 ? std::optional(ratio.mean) : std::nullopt) << ','
                 << csvNumber(ratio.confidence) << ',' << csvField(baseline);
        if (target) {
            QStringList reached;
            for (const RunItemPtr& run : group.runs) {
                if (secondsToTarget.contains(run->row.runId) && group.counts(*run)) reached << run->id;
            }
            text << ',' << csvField(view.row(at) ? numberInWords(*view.row(at), spec.number, view.spread) : kAbsent)
                 << ',' << csvField(reached.join(QLatin1Char(' ')));
        }
        text << '\n';
    }
    text.flush();
    return out;
}

// CSV with a row for each run.
QString runsCsv(const CompareView& view, const FigureSpec& spec, const RunPoints& points) {
    QString out;
    QTextStream text(&out);
    text << "configuration,time,seed," << csvField(numberTitle(view, spec.against)) << ','
         << csvField(numberTitle(view, spec.number)) << ",run_id\n";
    for (std::size_t i = 0; i < points.curves.size(); ++i) {
        for (std::size_t point = 0; point < points.runs[i].size(); ++point) {
            const RunItem& run = *points.runs[i][point];
            text << csvField(points.curves[i].name) << ',' << (run.row.timeSimulated ? "simulated" : "measured") << ','
                 << run.row.seed << ',' << csvNumber(points.curves[i].line.x[point]) << ','
                 << csvNumber(points.curves[i].line.y[point]) << ',' << csvField(run.id) << '\n';
        }
    }
    text.flush();
    return out;
}

// The reason why finished runs lack the number; "" where it was merely not recorded.
QString fateOf(const CompareGroup& group, CompareNumber number) {
    if (number == CompareNumber::SecondsToTarget) return QStringLiteral("did not reach the target");
    const bool isNan = number == CompareNumber::FinalLoss && group.diverged();
    return isNan ? QStringLiteral("ended with a loss that is NaN") : QString();
}

// Note on the finished runs of a configuration that its mean leaves out, with the reason; "" where there are none.
QString missingInWords(const CompareGroup& group, CompareNumber number, const Sample& sample) {
    const auto finished = static_cast<std::size_t>(group.finished());
    if (sample.n >= finished) return {};
    const QString fate = fateOf(group, number);
    const QString why = fate.isEmpty() ? QStringLiteral("have no such number") : fate;
    if (number == CompareNumber::SecondsToTarget && sample.n > 0) {
        return QStringLiteral("%1: %2 of %3 finished runs %4, no value drawn")
            .arg(group.name)
            .arg(finished - sample.n)
            .arg(finished)
            .arg(why);
    }
    return QStringLiteral("%1: %2 of %3 finished runs %4, left out of %5")
        .arg(group.name)
        .arg(finished - sample.n)
        .arg(finished)
        .arg(why, QString::fromUtf8(wordsOf(number).title));
}

// Notes of the figure: meaning of the bars, runs left out of the means, simulated time and emulated links.
QStringList notesOf(const CompareView& view, const FigureSpec& spec) {
    QStringList notes;
    bool whiskers = false, single = false, emulated = false;
    std::size_t simulated = 0;
    const std::vector<CompareNumber> numbers = numbersOf(spec);
    for (const std::size_t at : view.shown) {
        const CompareGroup& group = view.groups()[at];
        const Sample sample = view.row(at) ? drawnSampleOf(*view.row(at), spec.number) : Sample{};
        whiskers = whiskers || spreadOf(sample, view.spread).has_value();
        single = single || sample.n == 1;
        emulated = emulated || group.origin().contains(QLatin1String("emulated"));
        simulated += group.simulated() ? 1 : 0;
        for (const CompareNumber number : numbers) {
            const Sample own = view.row(at) ? sampleOf(*view.row(at), number) : Sample{};
            if (const QString words = missingInWords(group, number, own); !words.isEmpty()) notes << words;
        }
    }
    if (spec.kind == FigureKind::Scatter) notes.prepend(QStringLiteral("one point a finished run"));
    if (spec.kind == FigureKind::Bars || spec.kind == FigureKind::Over) {
        const QString what = spec.number == CompareNumber::SpeedUp
                                 ? QStringLiteral("ratio of the mean times per step over seeds")
                                 : QStringLiteral("mean over seeds");
        QString words = whiskers ? what + QStringLiteral("; whisker: ") + spreadOverSeeds(view.spread) : what;
        if (whiskers && single) words += QStringLiteral("; none where n = 1");
        if (hasRatios(view, spec)) words += QStringLiteral("; ") + ratiosInWords(view, spec.number);
        notes.prepend(words);
    }
    // Hidden and blocked shares are derived from times too.
    const bool ofTime = std::any_of(numbers.begin(), numbers.end(), [](CompareNumber one) {
        return wordsOf(one).isTime || one == CompareNumber::Hidden || one == CompareNumber::Blocked;
    });
    if (simulated > 0 && ofTime) {
        notes << (simulated == view.shown.size() ? QStringLiteral("time simulated")
                  : spec.kind == FigureKind::Map ? QStringLiteral("times of some configurations are simulated")
                                                 : QStringLiteral("hollow: time simulated"));
    }
    if (emulated && ofTime) notes << QStringLiteral("link emulated");
    const bool toTarget = std::ranges::count(numbers, CompareNumber::SecondsToTarget) > 0;
    if (toTarget && simulated < view.shown.size()) notes << kTargetClock;
    return notes;
}

// Notes on configurations that the picture lacks, since none of their runs has finished. Bars and maps show an empty
// place for them and need no note.
QStringList withoutMark(const std::vector<CompareGroup>& groups, FigureKind kind) {
    QStringList notes;
    if (kind != FigureKind::Scatter && kind != FigureKind::Over) return notes;
    for (const CompareGroup& group : groups) {
        if (group.finished() == 0) notes << QStringLiteral("%1: no finished run, no point").arg(group.name);
    }
    return notes;
}

void takeBars(const CompareView& view, const FigureSpec& spec, FigureContent& into) {
    GroupBars bars = groupBars(view, spec.number);
    const QString counts = sayCounts(bars.chart);
    if (!counts.isEmpty()) into.notes.front() += QStringLiteral("; ") + counts;
    into.bars = std::move(bars.chart);
}

void takeMap(const CompareView& view, FigureSpec& spec, FigureContent& into) {
    if (spec.rows.isEmpty()) {
        const MapKeys keys = mapKeys(view.groups());
        spec.rows = QString::fromStdString(keys.rows);
        spec.columns = QString::fromStdString(keys.columns);
    }
    if (spec.rows.isEmpty()) {
        into.nothing = QStringLiteral("A map needs runs that differ in two settings.");
        return;
    }
    GroupMap map = groupMap(view, spec.number, spec.rows.toStdString(), spec.columns.toStdString());
    if (!map.map.cells.empty()) into.notes = mapNotes(view, map) + into.notes;
    for (const auto& groups : map.groups) {
        if (groups.size() < 2) continue;
        for (const std::size_t at : groups) into.sources[at].drawn.assign(into.sources[at].runs.size(), false);
    }
    for (const std::size_t at : view.shown) {
        const bool inMap = std::ranges::any_of(
            map.groups, [at](const auto& groups) { return std::ranges::find(groups, at) != groups.end(); });
        if (inMap) continue;
        into.notes << QStringLiteral("%1 has not both %2 and %3: not in the map")
                          .arg(view.groups()[at].name, spec.rows, spec.columns);
        into.sources[at].drawn.assign(into.sources[at].runs.size(), false);
    }
    if (map.map.cells.empty())
        into.nothing = QStringLiteral("None of these runs has both %1 and %2.").arg(spec.rows, spec.columns);
    into.map = std::move(map.map);
}

void takeScatter(const CompareView& view, const FigureSpec& spec, FigureContent& into) {
    RunPoints points = runPoints(view, spec.against, spec.number);
    into.axes = {.x = numberTitle(view, spec.against), .y = numberTitle(view, spec.number)};
    into.csv = runsCsv(view, spec, points);
    into.curves = std::move(points.curves);
    if (into.curves.empty()) into.nothing = QStringLiteral("None of these runs has finished with both numbers.");
}

}  // namespace

Status readComparison(storage::WorkspaceReader& reader, const FigureSpec& wanted, std::span<const RunItemPtr> runs,
                      std::span<const RunItemPtr> all, FigureContent& into) {
    FigureSpec spec = wanted;
    const std::vector<CompareGroup> groups = figureGroups(runs, all, spec.names);
    std::optional<Target> target;
    if (!spec.target.isEmpty()) {
        DASGD_ASSIGN(target, parseTarget(spec.target.toStdString()));
    }
    const CompareGroup* baseline = groupCalled(groups, spec.baseline);
    if (!spec.baseline.isEmpty() && !baseline) {
        QStringList names;
        for (const CompareGroup& group : groups) names << group.usualName;
        into.nothing = QStringLiteral("The baseline %1 is none of these configurations: %2.")
                           .arg(spec.baseline, names.join(QStringLiteral(", ")));
        return {};
    }
    std::map<std::string, ComparedRun> read;
    for (const RunItemPtr& run : runs) {
        DASGD_ASSIGN(read[run->row.runId], storage::readComparedRun(reader, run->row, target));
    }
    const Compared compared = comparedOf(groups, read, target, baseline ? baseline->key : std::string());
    if (!compared.error.isEmpty()) {
        into.nothing = QStringLiteral("The baseline %1 has no ratio: %2").arg(spec.baseline, compared.error);
        return {};
    }
    CompareView view(groups, &compared);
    for (std::size_t i = 0; i < groups.size(); ++i) {
        view.shown.push_back(i);
        into.sources.push_back(sourceOf(groups[i], view.row(i), spec, compared));
    }
    view.spread = spec.band;
    view.target = target;
    if (std::none_of(groups.begin(), groups.end(), [](const CompareGroup& group) { return group.finished() > 0; })) {
        into.nothing = QStringLiteral("None of these runs has finished.");
        return {};
    }
    into.notes = notesOf(view, spec);
    if (spec.kind == FigureKind::Bars) takeBars(view, spec, into);
    if (spec.kind == FigureKind::Map) takeMap(view, spec, into);
    if (spec.kind == FigureKind::Scatter) takeScatter(view, spec, into);
    for (const LeftOutRun& one : runsLeftOut(groups, Members::FinishedOnly))
        into.leftOut << one.group->name + QStringLiteral(", ") + one.inWords();
    into.notes += withoutMark(groups, spec.kind);
    into.table = tableOf(view, spec);
    if (spec.kind == FigureKind::Over) spec.over = QString::fromStdString(overKey(groups, spec.over));
    if (spec.kind != FigureKind::Scatter) into.csv = groupsCsv(view, spec, into, compared.secondsToTarget);
    if (spec.kind == FigureKind::Over) takeOver(view, spec, into);
    return {};
}

}  // namespace dasgd::gui
