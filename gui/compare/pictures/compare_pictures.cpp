#include "gui/compare/pictures/compare_pictures.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "gui/compare/model/compare_set.h"
#include "gui/data/runs/run_config.h"
#include "gui/data/runs/setting_number.h"
#include "gui/figures/model/figure_spec.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

constexpr std::size_t kMostSettingAxes = 4;
constexpr double kWhole = 100;   // a share in percent
constexpr double kLogSpan = 30;  // ratio of largest to smallest value above which a numeric axis is logarithmic
const QString kMixed = QStringLiteral("mixed");

// Order of settings: numbers by size with their unit ("200Mbps" before "1Gbps"), then words by the alphabet.
struct ByValue {
    bool operator()(const std::string& a, const std::string& b) const {
        const auto x = settingNumber(a), y = settingNumber(b);
        if (x.has_value() != y.has_value()) return x.has_value();
        if (!x) return a < b;
        return std::tie(x->dimension, x->value, a) < std::tie(y->dimension, y->value, b);
    }
};

const std::string* settingOf(const CompareGroup& group, const std::string& key) {
    return group.runs.front()->config.find(key);
}

// Settings in which configurations of the same row and column differ.
std::set<std::string> differingKeys(const CompareView& view, const std::vector<std::size_t>& groups,
                                    const std::vector<std::string>& keys) {
    std::set<std::string> out;
    for (const std::string& key : keys) {
        const std::string* first = settingOf(view.groups()[groups.front()], key);
        const bool differs = std::ranges::any_of(groups, [&](std::size_t group) {
            const std::string* own = settingOf(view.groups()[group], key);
            return (own == nullptr) != (first == nullptr) || (own && *own != *first);
        });
        if (differs) out.insert(key);
    }
    return out;
}

QString numberOfGroup(const CompareView& view, CompareNumber number, std::size_t group) {
    const ComparedGroup& row = *view.row(group);
    return QStringLiteral("%1: %2, n %3 of %4")
        .arg(view.groups()[group].name, numberInWords(row, number, view.spread))
        .arg(sampleOf(row, number).n)
        .arg(row.runIds.size());
}

HeatCell cellOf(const CompareView& view, CompareNumber number, const std::vector<std::size_t>& groups) {
    HeatCell cell;
    QStringList words;
    for (const std::size_t group : groups) {
        if (view.row(group)) words << numberOfGroup(view, number, group);
        cell.primary = cell.primary || view.highlighted == group;
    }
    cell.words = words.join(QLatin1Char('\n'));
    if (groups.empty()) return cell;
    // A mean over several configurations would depend on which of them happen to be shown.
    if (groups.size() > 1) {
        cell.text = kMixed;
        cell.words += QStringLiteral("\nno mean: %1 configurations").arg(groups.size());
        return cell;
    }
    const CompareGroup& own = view.groups()[groups.front()];
    const ComparedGroup* row = view.row(groups.front());
    cell.text = QStringLiteral("–");
    if (own.finished() == 0) {
        cell.text = QStringLiteral("0 of %1").arg(own.trainings());
        cell.under = QStringLiteral("finished");
        return cell;
    }
    const Sample sample = row ? sampleOf(*row, number) : Sample{};
    if (sample.n == 0) return cell;
    // A mean over only the runs that reached the target would be too good.
    if (number == CompareNumber::SecondsToTarget && row->finished() > sample.n) {
        cell.text = QStringLiteral("%1 of %2").arg(sample.n).arg(row->finished());
        cell.under = QStringLiteral("reached");
        return cell;
    }
    cell.value = sample.mean;
    cell.text = shortNumber(*cell.value, 3);
    cell.under = QStringLiteral("n %1").arg(sample.n);
    if (wordsOf(number).isTime && own.simulated()) cell.under += QStringLiteral(" sim");
    cell.incomplete = sample.n < row->runIds.size();
    return cell;
}

// Labels of the values of a setting, in the given order.
QStringList placeLabels(const CompareView& view, const std::string& key, const std::vector<std::string>& values) {
    const QString name = key == "algorithm.name" ? QString() : keyName(view, key) + QLatin1Char(' ');
    const auto shown = settingValues({values.begin(), values.end()});
    QStringList labels;
    for (const std::string& value : values) labels << name + shown.at(value);
    return labels;
}

ParallelAxis settingAxis(const CompareView& view, const std::string& key, const std::vector<std::size_t>& groups,
                         std::vector<std::optional<double>>& values) {
    std::set<std::string, ByValue> seen;
    bool numeric = true;
    double low = 0, high = 0;
    for (const std::size_t group : groups) {
        const std::string* value = settingOf(view.groups()[group], key);
        if (!value) continue;
        bool isNumber = false;
        const double number = QString::fromStdString(*value).toDouble(&isNumber);
        numeric = numeric && isNumber;
        low = seen.empty() ? number : std::min(low, number);
        high = seen.empty() ? number : std::max(high, number);
        seen.insert(*value);
    }
    ParallelAxis axis{.title = keyName(view, key), .low = low, .high = high};
    if (numeric && low > 0 && high / low > kLogSpan) axis.kind = ParallelAxis::Kind::Log;
    if (!numeric) {
        axis.kind = ParallelAxis::Kind::Category;
        const auto shown = settingValues({seen.begin(), seen.end()});
        for (const std::string& value : seen) axis.categories << shown.at(value);
    }
    for (const std::size_t group : groups) {
        const std::string* value = settingOf(view.groups()[group], key);
        if (!value) {
            values.emplace_back();
        } else if (numeric) {
            values.emplace_back(QString::fromStdString(*value).toDouble());
        } else {
            values.emplace_back(static_cast<double>(std::distance(seen.begin(), seen.find(*value))));
        }
    }
    return axis;
}

ParallelAxis numberAxis(const CompareView& view, CompareNumber number, const std::vector<std::size_t>& groups,
                        std::vector<std::optional<double>>& values) {
    ParallelAxis axis{.title = QString::fromUtf8(wordsOf(number).brief)};
    bool any = false;
    for (const std::size_t group : groups) {
        const ComparedGroup* row = view.row(group);
        const Sample sample = row ? drawnSampleOf(*row, number) : Sample{};
        values.push_back(sample.n > 0 ? std::optional(sample.mean) : std::nullopt);
        if (sample.n == 0) continue;
        axis.low = any ? std::min(axis.low, sample.mean) : sample.mean;
        axis.high = any ? std::max(axis.high, sample.mean) : sample.mean;
        any = true;
    }
    if (any && axis.low > 0 && axis.high / axis.low > kLogSpan) axis.kind = ParallelAxis::Kind::Log;
    return axis;
}

// Remark if shown best accuracies were chosen on the test set; "" if all were chosen on the validation set.
QString choiceInWords(const CompareView& view) {
    bool onTest = false, onValidation = false;
    for (const std::size_t group : view.shown) {
        const ComparedGroup* row = view.row(group);
        if (row && row->bestAccuracy.n > 0) (row->chosenOnValidation ? onValidation : onTest) = true;
    }
    if (!onTest) return {};
    return onValidation ? QStringLiteral(", some chosen on the test set") : QStringLiteral(", chosen on the test set");
}

}  // namespace

QString numberTitle(const CompareView& view, CompareNumber number) {
    QString title = wordsOf(number).text();
    if (number == CompareNumber::BestAccuracy) title += choiceInWords(view);
    if (number == CompareNumber::SecondsToTarget && view.target) {
        title.replace(QStringLiteral("target"), QString::fromStdString(view.target->inWords()));
    }
    if (const auto baseline = view.baseline(); number == CompareNumber::SpeedUp && baseline) {
        title.replace(QStringLiteral("speed-up"),
                      QStringLiteral("speed-up over %1").arg(view.groups()[*baseline].name));
    }
    bool simulated = false, measured = false;
    for (const std::size_t group : view.shown) (view.groups()[group].simulated() ? simulated : measured) = true;
    if (!wordsOf(number).isTime || !simulated) return title;
    return title + (measured ? QStringLiteral(", measured and simulated") : QStringLiteral(", simulated"));
}

QString keyName(const CompareView& view, const std::string& key) {
    if (key == "algorithm.name") return QStringLiteral("algorithm");
    for (const CompareGroup& group : view.groups()) {
        if (findSetting(group.runs.front()->schema, key)) return settingName(key, group.runs.front()->schema);
    }
    return settingName(key, {});
}

GroupBars groupBars(const CompareView& view, CompareNumber number) {
    GroupBars out;
    out.chart.axis = numberTitle(view, number);
    if (wordsOf(number).unit == std::string_view("%")) out.chart.most = kWhole;
    out.groups = view.shown;
    const bool target = number == CompareNumber::SecondsToTarget;
    const auto isRead = [&](std::size_t group) { return view.row(group) && (!target || view.isTargetRead()); };
    const auto sample = [&](std::size_t group) {
        return isRead(group) ? sampleOf(*view.row(group), number) : Sample{};
    };
    const auto drawn = [&](std::size_t group) {
        return isRead(group) ? drawnSampleOf(*view.row(group), number) : Sample{};
    };
    // Order: groups with a value (0), groups in which only some runs have one (1), groups without (2).
    const auto place = [&](std::size_t group) { return drawn(group).n > 0 ? 0 : sample(group).n > 0 ? 1 : 2; };
    const bool low = wordsOf(number).lowIsGood;
    std::stable_sort(out.groups.begin(), out.groups.end(), [&](std::size_t a, std::size_t b) {
        if (place(a) != 0 || place(b) != 0) return place(a) < place(b);
        const Sample x = drawn(a), y = drawn(b);
        return low ? x.mean < y.mean : x.mean > y.mean;
    });
    for (const std::size_t group : out.groups) {
        const CompareGroup& own = view.groups()[group];
        const Sample one = sample(group);
        Bar bar{.label = own.name, .style = own.style, .hollow = own.simulated()};
        bar.primary = view.highlighted == group;
        bar.count = QStringLiteral("%1 of %2").arg(one.n).arg(own.runs.size());
        if (one.n == 0) {
            bar.words =
                own.finished() == 0                                    ? QStringLiteral("no finished run")
                : !isRead(group)                                       ? QStringLiteral("reading …")
                : target && !view.target                               ? QStringLiteral("no target set")
                : number == CompareNumber::FinalLoss && own.diverged() ? QStringLiteral("diverged: the loss is NaN")
                : !target ? (wordsOf(number).isTime ? QStringLiteral("not timed") : QStringLiteral("not recorded"))
                : view.row(group)->stepsToTarget.n > 0 ? QStringLiteral("reached, not timed")
                                                       : QStringLiteral("not reached");
        } else {
            bar.words = numberInWords(*view.row(group), number, view.spread);
            if (drawn(group).n > 0) bar.value = one.mean;
            if (bar.value) bar.interval = spreadOf(one, view.spread);
            // The ratio's interval is in the table only; beside each bar it would take the room of the names.
            if (const Sample ratio = ratioToBaseline(view, group, number); ratio.n > 0)
                bar.ratio = QStringLiteral("× ") + shortNumber(ratio.mean, 3);
        }
        out.chart.bars.push_back(std::move(bar));
    }
    return out;
}

QString sayCounts(BarChart& chart) {
    for (Bar& bar : chart.bars) {
        const QStringList parts = bar.count.split(QStringLiteral(" of "));
        bar.count = QStringLiteral("n = ") + (parts.first() == parts.last() ? parts.first() : bar.count);
    }
    const auto sameCount = [&](const Bar& bar) { return bar.count == chart.bars.front().count; };
    if (chart.bars.size() < 2 || !std::ranges::all_of(chart.bars, sameCount)) return {};
    const QString all = chart.bars.front().count;
    for (Bar& bar : chart.bars) bar.count.clear();
    return all;
}

GroupMap groupMap(const CompareView& view, CompareNumber number, const std::string& rowKey,
                  const std::string& columnKey) {
    std::map<std::string, std::map<std::string, std::vector<std::size_t>>> places;
    std::set<std::string, ByValue> rows, columns;
    for (const std::size_t group : view.shown) {
        const std::string* row = settingOf(view.groups()[group], rowKey);
        const std::string* column = settingOf(view.groups()[group], columnKey);
        if (!row || !column) continue;
        rows.insert(*row);
        columns.insert(*column);
        places[*row][*column].push_back(group);
    }
    GroupMap out;
    if (rows.empty()) return out;
    out.map.rows = placeLabels(view, rowKey, {rows.begin(), rows.end()});
    out.map.columns = placeLabels(view, columnKey, {columns.begin(), columns.end()});
    std::vector<std::string> others = sweptKeys(view.groups());
    std::erase_if(others, [&](const std::string& key) { return key == rowKey || key == columnKey; });
    for (const std::string& row : rows) {
        for (const std::string& column : columns) {
            out.groups.push_back(places[row][column]);
            out.map.cells.push_back(cellOf(view, number, out.groups.back()));
            if (out.groups.back().size() > 1) out.mixedKeys.merge(differingKeys(view, out.groups.back(), others));
        }
    }
    std::vector<double> spreads, counts;
    using enum CompareNumber;  // the numbers below do not depend on the training's seed
    out.map.exact = std::set{StepMs, Hidden, Blocked, Skew, SamplesPerS, SpeedUp}.contains(number);
    for (const auto& groups : out.groups) {
        const ComparedGroup* row = groups.size() == 1 ? view.row(groups.front()) : nullptr;
        const Sample sample = row ? drawnSampleOf(*row, number) : Sample{};
        if (sample.n == 0) continue;
        counts.push_back(static_cast<double>(sample.n));
        if (sample.std.value_or(0) > 0) spreads.push_back(*sample.std);
        out.map.exact = out.map.exact && sample.std == 0.0 && row->times == std::set{TimeSource::Simulated};
    }
    // Standard error of a cell's mean, on the assumption that seeds scatter alike in all cells.
    if (!spreads.empty()) out.map.noise = median(spreads) / std::sqrt(median(counts));
    if (std::string_view(wordsOf(number).unit) == "%") out.map.whole = 100;
    out.map.title = numberTitle(view, number);
    out.map.lowIsGood = wordsOf(number).lowIsGood;
    return out;
}

QStringList mapNotes(const CompareView& view, const GroupMap& map) {
    QString cells = QStringLiteral("each cell: mean over the finished seeds of one configuration");
    const auto& all = map.map.cells;
    const auto mixed = std::ranges::find(map.groups, true, [](const auto& groups) { return groups.size() > 1; });
    if (std::ranges::any_of(all, [](const HeatCell& cell) { return !cell.value; }))
        cells += QStringLiteral("; hatched: no number");
    if (std::ranges::any_of(all, &HeatCell::incomplete)) cells += QStringLiteral("; corner: a seed is missing");
    QStringList notes{cells};
    if (const QString widened = widenedInWords(map.map); !widened.isEmpty()) notes << widened;
    if (mixed == map.groups.end()) return notes;
    QStringList names;
    QString example;
    for (const std::string& key : map.mixedKeys) {
        names << (key == "algorithm.name" ? QStringLiteral("algorithm") : QString::fromStdString(key));
        const std::string* value = settingOf(view.groups()[mixed->front()], key);
        if (value && example.isEmpty() && value->find(' ') == std::string::npos)
            example = QStringLiteral(", as by the filter %1 = %2").arg(names.back(), QString::fromStdString(*value));
    }
    QString words = QStringLiteral("mixed: several configurations");
    if (names.isEmpty()) return notes << words + QStringLiteral(", no mean");
    return notes << words + QStringLiteral(" that differ in %1, no mean; choose one%2")
                                .arg(names.join(QStringLiteral(", ")), example);
}

RunPoints runPoints(const CompareView& view, CompareNumber x, CompareNumber y) {
    static const std::map<std::string, double> kNone;
    const auto& seconds = view.compared() ? view.compared()->secondsToTarget : kNone;
    RunPoints out;
    for (const std::size_t group : view.shown) {
        const CompareGroup& own = view.groups()[group];
        Curve curve{.name = own.name, .style = own.style, .kind = Curve::Kind::Scatter, .hollow = own.simulated()};
        curve.primary = view.highlighted == group;
        curve.faded = view.highlighted && !curve.primary;
        std::vector<RunItemPtr> runs;
        for (const RunItemPtr& run : own.runs) {
            const auto atX = numberOf(*run, x, seconds), atY = numberOf(*run, y, seconds);
            if (!atX || !atY || !own.counts(*run)) continue;
            curve.line.x.push_back(*atX);
            curve.line.y.push_back(*atY);
            runs.push_back(run);
        }
        if (runs.empty()) continue;
        out.curves.push_back(std::move(curve));
        out.runs.push_back(std::move(runs));
    }
    return out;
}

QStringList usualAxes(const std::vector<CompareGroup>& groups) {
    std::vector<std::string> keys = sweptKeys(groups);
    if (keys.size() > kMostSettingAxes) keys.resize(kMostSettingAxes);
    QStringList axes;
    for (const std::string& key : keys) axes << QString::fromStdString(key);
    for (const CompareNumber number :
         {CompareNumber::StepMs, CompareNumber::Hidden, CompareNumber::FinalLoss, CompareNumber::BestAccuracy})
        axes << numberWords()[static_cast<int>(number)];
    return axes;
}

ParallelPlot groupLines(const CompareView& view, const std::vector<std::size_t>& groups, const QStringList& axes) {
    ParallelPlot plot;
    if (groups.empty()) return plot;
    std::vector<std::vector<std::optional<double>>> values;  // by axis, then group
    for (const QString& word : axes) {
        std::vector<std::optional<double>> own;
        const auto place = numberWords().indexOf(word);
        const auto number = static_cast<CompareNumber>(place);
        ParallelAxis axis =
            place >= 0 ? numberAxis(view, number, groups, own) : settingAxis(view, word.toStdString(), groups, own);
        if (std::none_of(own.begin(), own.end(), [](const auto& value) { return value.has_value(); })) continue;
        axis.key = word.toStdString();
        plot.axes.push_back(std::move(axis));
        values.push_back(std::move(own));
    }
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const CompareGroup& own = view.groups()[groups[i]];
        ParallelLine line{.name = own.name, .style = own.style, .primary = view.highlighted == groups[i]};
        for (const auto& axis : values) line.values.push_back(axis[i]);
        plot.lines.push_back(std::move(line));
    }
    return plot;
}

}  // namespace dasgd::gui
