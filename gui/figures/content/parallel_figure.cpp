#include "gui/figures/content/parallel_figure.h"

#include <QTextStream>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "gui/compare/pictures/compare_pictures.h"
#include "gui/data/runs/run_config.h"
#include "gui/figures/export/figure_files.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

constexpr qsizetype kMostNamedLines = 4;  // names in a note on lines that lack an axis; the CSV file has them all

QString keyOf(const ParallelAxis& axis) { return QString::fromStdString(axis.key); }
QString columnOf(const ParallelAxis& axis) { return axis.full.isEmpty() ? axis.title : axis.full; }

// Value of a setting as recorded; "" where the run has none.
std::string settingIn(const RunItem& run, const QString& key) {
    const std::string* value = run.config.find(key.toStdString());
    return value ? *value : std::string();
}

// The setting of each shown configuration in readable form, distinct for distinct values; "" where it has none.
QStringList shownSettings(const CompareView& view, const QString& key) {
    std::set<std::string> values;
    for (const std::size_t at : view.shown) values.insert(settingIn(*view.groups()[at].runs.front(), key));
    const std::map<std::string, QString> shown = settingValues(values);
    QStringList words;
    for (const std::size_t at : view.shown) words << shown.at(settingIn(*view.groups()[at].runs.front(), key));
    return words;
}

// The brush as positions on its axis. Errors: a value that the axis does not have.
Result<ParallelBrush> placedBrush(const ParallelAxis& axis, const FigureBrush& brush) {
    const auto wrong = [&](const QString& what) {
        return fail(QStringLiteral("\"brushes\", \"%1\": %2").arg(keyOf(axis), what).toStdString());
    };
    const bool words = axis.kind == ParallelAxis::Kind::Category;
    if (!words && !brush.range) return wrong(QStringLiteral("the axis has numbers; give two, as [1, 3]"));
    if (!words) return ParallelBrush(std::pair(brush.range->low, brush.range->high));
    const QString all = axis.categories.join(QStringLiteral(", "));
    if (brush.range) return wrong(QStringLiteral("the axis has words; give some of %1").arg(all));
    std::vector<qsizetype> places;
    for (const QString& value : brush.values) {
        places.push_back(axis.categories.indexOf(value));
        if (places.back() < 0) return wrong(QStringLiteral("no run has %1; there are %2").arg(value, all));
    }
    const auto [low, high] = std::minmax_element(places.begin(), places.end());
    for (qsizetype place = *low; place <= *high; ++place) {
        if (std::ranges::find(places, place) == places.end())
            return wrong(QStringLiteral("its values are not beside each other on the axis: %1").arg(all));
    }
    return ParallelBrush(std::pair(static_cast<double>(*low) - 0.5, static_cast<double>(*high) + 0.5));
}

Status takeBrushes(const FigureSpec& spec, ParallelPlot& plot) {
    plot.brushes.assign(plot.axes.size(), std::nullopt);
    for (const auto& [key, brush] : spec.brushes) {
        const auto axis = std::ranges::find_if(plot.axes, [&](const ParallelAxis& one) { return keyOf(one) == key; });
        if (axis == plot.axes.end()) {
            return fail(QStringLiteral("\"brushes\", \"%1\": none of these runs has it").arg(key).toStdString());
        }
        DASGD_ASSIGN(plot.brushes[static_cast<std::size_t>(axis - plot.axes.begin())], placedBrush(*axis, brush));
    }
    return {};
}

// Number of finished runs of the configurations: "3", or "1 to 3" where they differ.
QString countsInWords(const CompareView& view) {
    std::size_t least = view.groups()[view.shown.front()].finished(), most = least;
    for (const std::size_t at : view.shown) {
        least = std::min(least, view.groups()[at].finished());
        most = std::max(most, view.groups()[at].finished());
    }
    return least == most ? QString::number(most) : QStringLiteral("%1 to %2").arg(least).arg(most);
}

// Entries of the legend: configurations, with n where it differs. With `colorBy`, the values of that setting: all lines
// of a value take the style of the first configuration that has it.
std::vector<ParallelLine> looksOf(const CompareView& view, const QString& colorBy, ParallelPlot& plot) {
    std::vector<ParallelLine> legend;
    const bool differ = countsInWords(view).contains(QLatin1Char(' '));
    const QStringList values = colorBy.isEmpty() ? QStringList() : shownSettings(view, colorBy);
    std::map<QString, std::size_t> known;  // index of the entry of a value
    for (std::size_t i = 0; i < plot.lines.size(); ++i) {
        ParallelLine& line = plot.lines[i];
        const CompareGroup& group = view.groups()[view.shown[i]];
        ParallelLine entry{.name = line.name, .style = line.style};
        entry.hollow = line.hollow;
        if (colorBy.isEmpty()) {
            if (differ) entry.name += QStringLiteral(" (n = %1)").arg(group.count());
            legend.push_back(std::move(entry));
            continue;
        }
        const QString value = values[static_cast<qsizetype>(i)];
        const auto [place, isNew] = known.try_emplace(value, legend.size());
        if (isNew) {
            entry.name = value.isEmpty() ? QStringLiteral("none") : value;
            legend.push_back(std::move(entry));
        } else {
            ParallelLine& first = legend[place->second];
            line.style = first.style;
            first.hollow = first.hollow && line.hollow;
        }
    }
    return legend;
}

// A phrase for each axis that lines lack: "d of sync_sgd, independent and 3 more".
QStringList lacking(const ParallelPlot& plot) {
    QStringList axes;
    for (std::size_t axis = 0; axis < plot.axes.size(); ++axis) {
        QStringList names;
        for (const ParallelLine& line : plot.lines) {
            if (!parallelShare(plot.axes[axis], line.values[axis])) names << line.name;
        }
        if (names.isEmpty()) continue;
        QString words = names.mid(0, kMostNamedLines).join(QStringLiteral(", "));
        if (names.size() > kMostNamedLines) words += QStringLiteral(" and %1 more").arg(names.size() - kMostNamedLines);
        axes << plot.axes[axis].title + QStringLiteral(" of ") + words;
    }
    return axes;
}

QStringList parallelNotesOf(const CompareView& view, const FigureSpec& spec, const ParallelPlot& plot) {
    const QString counts = countsInWords(view);
    QStringList notes{counts == QLatin1String("1")
                          ? QStringLiteral("a line is a configuration, of one finished run, n = 1")
                          : QStringLiteral("a line is a configuration: mean over its finished seeds, n = ") + counts};
    for (const QString& axis : spec.axes) {
        const auto drawn = [&](const ParallelAxis& one) { return keyOf(one) == axis; };
        if (std::ranges::none_of(plot.axes, drawn))
            notes << QStringLiteral("no axis for %1, which none of these runs has").arg(axis);
    }
    if (const QStringList axes = lacking(plot); !axes.isEmpty())
        notes << QStringLiteral("below an axis, no value: ") + axes.join(QStringLiteral("; "));
    if (!spec.brushes.empty()) {
        const auto out =
            std::ranges::count_if(plot.lines, [&](const ParallelLine& line) { return !plot.passes(line); });
        notes << QStringLiteral("grey: outside the marked ranges, %1 of %2 lines").arg(out).arg(plot.lines.size());
    }
    return notes;
}

FigureTable parallelTable(const CompareView& view, const ParallelPlot& plot) {
    FigureTable table{.columns = {QStringLiteral("configuration"), QStringLiteral("time"), QStringLiteral("n")}};
    std::vector<QStringList> settings;  // by axis, then line; empty for axes of numbers
    for (const ParallelAxis& axis : plot.axes) {
        table.columns << columnOf(axis);
        settings.push_back(numberOfAxis(keyOf(axis)) ? QStringList() : shownSettings(view, keyOf(axis)));
    }
    for (std::size_t line = 0; line < view.shown.size(); ++line) {
        const std::size_t at = view.shown[line];
        const CompareGroup& group = view.groups()[at];
        QStringList row{group.name, group.origin(), group.count()};
        for (std::size_t axis = 0; axis < plot.axes.size(); ++axis) {
            const auto number = numberOfAxis(keyOf(plot.axes[axis]));
            if (!number) {
                const QString& setting = settings[axis][static_cast<qsizetype>(line)];
                row << (setting.isEmpty() ? kAbsent : setting);
                continue;
            }
            const Sample sample = view.row(at) ? sampleOf(*view.row(at), *number) : Sample{};
            // A number that fewer runs have names its n.
            const bool says =
                sample.n == 0 || sample.n == group.finished() || *number == CompareNumber::SecondsToTarget;
            row << (view.row(at) ? numberInWords(*view.row(at), *number, view.spread) : kAbsent) +
                       (says ? QString() : QStringLiteral(" (n = %1)").arg(sample.n));
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

// CSV with a row for each run, including those that are in no mean.
QString parallelCsv(const CompareView& view, const ParallelPlot& plot) {
    static const std::map<std::string, double> kNone;
    const auto& seconds = view.compared() ? view.compared()->secondsToTarget : kNone;
    QString out;
    QTextStream text(&out);
    text << "configuration,time,seed,status,in_mean";
    for (const ParallelAxis& axis : plot.axes) {
        text << ',' << csvField(numberOfAxis(keyOf(axis)) ? columnOf(axis) : keyOf(axis));
    }
    text << ",run_id\n";
    for (const CompareGroup& group : view.groups()) {
        for (const RunItemPtr& run : group.runs) {
            const bool taken = group.counts(*run) && run->row.status == "finished";
            text << csvField(group.name) << ',' << csvField(group.origin()) << ',' << run->row.seed << ','
                 << csvField(QString::fromStdString(run->row.status)) << ',' << (taken ? "true" : "false");
            for (const ParallelAxis& axis : plot.axes) {
                const auto number = numberOfAxis(keyOf(axis));
                text << ','
                     << (number ? csvNumber(numberOf(*run, *number, seconds))
                                : csvField(QString::fromStdString(settingIn(*run, keyOf(axis)))));
            }
            text << ',' << csvField(run->id) << '\n';
        }
    }
    text.flush();
    return out;
}

bool hasSetting(const CompareView& view, const QString& key) {
    return std::ranges::any_of(
        view.shown, [&](std::size_t at) { return !settingIn(*view.groups()[at].runs.front(), key).empty(); });
}

}  // namespace

void takeParallel(const CompareView& view, const FigureSpec& spec, FigureContent& into) {
    ParallelPlot plot = groupLines(view, view.shown, spec.axes);
    if (plot.axes.size() < 2) {
        into.nothing = QStringLiteral("Parallel coordinates need two axes: settings that differ, or numbers.");
        return;
    }
    if (!spec.colorBy.isEmpty() && !hasSetting(view, spec.colorBy)) {
        into.nothing = QStringLiteral("None of these runs has the setting %1.").arg(spec.colorBy);
        return;
    }
    if (const Status brushed = takeBrushes(spec, plot); !brushed) {
        into.nothing = QString::fromStdString(brushed.error().message);
        return;
    }
    into.notes = parallelNotesOf(view, spec, plot) + into.notes;
    into.table = parallelTable(view, plot);
    into.csv = parallelCsv(view, plot);
    std::vector<ParallelLine> legend = looksOf(view, spec.colorBy, plot);
    into.parallel = ParallelFigure{.plot = std::move(plot), .legend = std::move(legend)};
}

}  // namespace dasgd::gui
