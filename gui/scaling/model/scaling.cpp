#include "gui/scaling/model/scaling.h"

#include <QHash>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "gui/data/runs/compare.h"
#include "gui/kit/words/words.h"
#include "storage/compare/scaling.h"

namespace dasgd::gui {

namespace {

// Bases whose throughputs per worker differ by less than this fraction share one ideal line.
constexpr double kSameIdeal = 0.1;

bool startedLater(const RunItemPtr& a, const RunItemPtr& b) {
    return std::tie(a->row.startedAt, a->id) > std::tie(b->row.startedAt, b->id);
}

// Lines of the same work have the colour of its first run, a measured one if there is any: the first of an experiment
// has its algorithm's own style, and stays first when more workers are tried. Dash and marker are changed until no two
// lines look the same, and no two works share a marker while there are enough.
std::vector<CurveStyle> stylesOf(const std::vector<const ScalingLine*>& lines, const StyleOfRun& styleOf) {
    std::map<std::string, const ScalingLine*> firstOfWork;
    for (const ScalingLine* line : lines) {
        const ScalingLine*& first = firstOfWork[workloadOf(storage::settingsOf(line->newest().row))];
        const bool isEarlier =
            first && (first->simulated() == line->simulated() ? startedLater(first->runs.back(), line->runs.back())
                                                              : first->simulated());
        if (!first || isEarlier) first = line;
    }
    std::vector<CurveStyle> styles;
    std::set<std::tuple<int, int, int, bool>> taken;
    std::map<int, std::string> workOfMarker;  // the first work with the marker
    const auto take = [&](const ScalingLine& line, CurveStyle own, const std::string& work, bool plain) {
        for (int moved = 0; moved < kCurveColors * kCurveColors; ++moved) {
            CurveStyle style = own;
            style.marker = (own.marker + moved) % kCurveColors;
            style.dash = (own.dash + moved / kCurveColors) % kCurveColors;
            const auto other = workOfMarker.find(style.marker);
            if (plain && other != workOfMarker.end() && other->second != work) continue;
            if (!taken.emplace(style.color, style.dash, style.marker, line.simulated()).second) continue;
            workOfMarker.try_emplace(style.marker, work);
            styles.push_back(style);
            return true;
        }
        return false;
    };
    for (const ScalingLine* line : lines) {
        const std::string work = workloadOf(storage::settingsOf(line->newest().row));
        const CurveStyle own = styleOf(*firstOfWork.at(work)->runs.back());
        if (!take(*line, own, work, true) && !take(*line, own, work, false)) styles.push_back(own);
    }
    return styles;
}

// Measured and simulated lines are named separately: that they differ in every key of the network is said in one word.
QStringList namesOf(const std::vector<const ScalingLine*>& lines, Scaling scaling) {
    std::set<std::string> apart{"cluster.workers"};
    if (scaling == Scaling::Strong) apart.insert({"train.batch_size", "compute.step_time"});
    std::map<bool, std::vector<RunItemPtr>> byKind;
    std::set<std::string> experiments;
    for (const ScalingLine* line : lines) {
        byKind[line->simulated()].push_back(line->runs.front());
        experiments.insert(line->newest().row.experiment);
    }
    std::map<bool, QStringList> names;
    for (const auto& [simulated, runs] : byKind) names[simulated] = distinguishingNames(runs, apart);
    QStringList all;
    std::map<bool, qsizetype> next;
    QHash<QString, int> used;
    for (const ScalingLine* line : lines) {
        const bool simulated = line->simulated();
        QString name = names[simulated][next[simulated]++];
        if (scaling == Scaling::Strong && lines.size() > 1) {
            const std::int64_t whole = line->newest().line.batch * line->newest().row.workers;
            const bool differs = std::any_of(lines.begin(), lines.end(), [&](const ScalingLine* other) {
                return other->newest().line.batch * other->newest().row.workers != whole;
            });
            if (differs) name += QStringLiteral(" batch\u00a0%1\u00a0in\u00a0all").arg(whole);
        }
        if (byKind.size() > 1) name += simulated ? QStringLiteral(" (simulated)") : QStringLiteral(" (measured)");
        const int count = ++used[name];
        all << (count > 1 ? QStringLiteral("%1 #%2").arg(name).arg(count) : name);
    }
    return all;
}

const Sample& sampleOf(const ScalingPoint& point, ScalingPlot plot) {
    return plot == ScalingPlot::Throughput   ? point.samplesPerS
           : plot == ScalingPlot::Efficiency ? point.efficiency
                                             : point.secondsToTarget;
}

bool isDrawn(const ScalingPoint& point, ScalingPlot plot) {
    return sampleOf(point, plot).n > 0 && (plot != ScalingPlot::TimeToTarget || point.allReached());
}

// The first drawn point of a line, where its ideal line starts.
const ScalingPoint* baseOf(const DrawnLine& line, ScalingPlot plot) {
    const auto found = std::find_if(line.points.begin(), line.points.end(),
                                    [plot](const ScalingPoint& point) { return isDrawn(point, plot); });
    return found == line.points.end() ? nullptr : &*found;
}

// Reference curves. For throughput and time one from each base, without those that nearly coincide.
std::vector<Curve> idealCurves(const std::vector<DrawnLine>& lines, ScalingPlot plot) {
    struct Ideal {
        double perWorker;
        int from, to;
    };
    std::vector<Ideal> ideals;
    for (const DrawnLine& line : lines) {
        const ScalingPoint* base = baseOf(line, plot);
        if (!base) continue;
        const double mean = sampleOf(*base, plot).mean;
        const double perWorker = plot == ScalingPlot::Efficiency   ? 100
                                 : plot == ScalingPlot::Throughput ? mean / base->workers
                                                                   : mean * base->workers;
        const int last = line.points.back().workers;
        const auto same = std::find_if(ideals.begin(), ideals.end(), [&](const Ideal& ideal) {
            return std::abs(ideal.perWorker - perWorker) <= kSameIdeal * perWorker;
        });
        if (same == ideals.end()) {
            ideals.push_back({perWorker, base->workers, last});
        } else {
            // The better of the two is kept, so that no curve looks better than ideal because of another line's base.
            same->perWorker = plot == ScalingPlot::TimeToTarget ? std::min(same->perWorker, perWorker)
                                                                : std::max(same->perWorker, perWorker);
            same->from = std::min(same->from, base->workers);
            same->to = std::max(same->to, last);
        }
    }
    std::vector<Curve> curves;
    for (const Ideal& ideal : ideals) {
        if (ideal.from == ideal.to) continue;
        Curve curve{.name = QStringLiteral("ideal"), .kind = Curve::Kind::Guide};
        for (const int workers : {ideal.from, ideal.to}) {
            curve.line.x.push_back(workers);
            curve.line.y.push_back(plot == ScalingPlot::Efficiency   ? ideal.perWorker
                                   : plot == ScalingPlot::Throughput ? ideal.perWorker * workers
                                                                     : ideal.perWorker / workers);
        }
        curves.push_back(std::move(curve));
    }
    return curves;
}

}  // namespace

QString ScalingLine::origin() const { return simulated() ? QStringLiteral("simulated") : originInWords(newest()); }

QString ScalingLine::inWords() const {
    const QString kind =
        simulated() ? origin() : origin() + QStringLiteral(", ") + QString::fromStdString(newest().row.backend);
    const QString sizes =
        scales()
            ? QStringLiteral("%1–%2 workers, %3 sizes").arg(workers.front()).arg(workers.back()).arg(workers.size())
            : counted(workers.front(), "worker") + QStringLiteral(" only");
    return kind + QStringLiteral("  ·  ") + sizes;
}

std::vector<ScalingLine> scalingLines(std::span<const RunItemPtr> runs, Scaling scaling) {
    std::unordered_map<std::string, std::size_t> byKey;
    std::unordered_map<std::string, std::vector<RunItemPtr>> unfinished, live;
    std::vector<ScalingLine> lines;
    for (const RunItemPtr& run : runs) {
        if (isProbe(run->row)) continue;
        if (run->row.status != "finished") {
            (isLive(run->row) ? live : unfinished)[run->line.key(scaling)].push_back(run);
            continue;
        }
        const auto [known, fresh] = byKey.try_emplace(run->line.key(scaling), lines.size());
        if (fresh) lines.push_back({.key = run->line.key(scaling)});
        lines[known->second].runs.push_back(run);
    }
    for (ScalingLine& line : lines) {
        line.unfinished = std::move(unfinished[line.key]);
        line.live = std::move(live[line.key]);
        for (auto* each : {&line.runs, &line.unfinished, &line.live}) {
            std::sort(each->begin(), each->end(), startedLater);
        }
        std::set<int> workers;
        for (const RunItemPtr& run : line.runs) workers.insert(run->row.workers);
        line.workers.assign(workers.begin(), workers.end());
    }
    std::sort(lines.begin(), lines.end(), [](const ScalingLine& a, const ScalingLine& b) {
        // Runs of jobs were not set up to be compared, so they come last.
        const bool ofJobA = isOfJob(a.newest().row), ofJobB = isOfJob(b.newest().row);
        if (ofJobA != ofJobB) return ofJobB;
        if (a.scales() != b.scales()) return a.scales();
        return startedLater(a.runs.front(), b.runs.front());
    });
    return lines;
}

std::vector<const ScalingLine*> firstLines(const std::vector<ScalingLine>& lines, std::size_t limit) {
    std::vector<const ScalingLine*> first;
    for (const ScalingLine& line : lines) {
        const bool belongs = line.newest().row.experiment == lines.front().newest().row.experiment &&
                             line.scales() == lines.front().scales();
        if (belongs && first.size() < limit) first.push_back(&line);
    }
    return first;
}

std::vector<DrawnLine> drawnLines(const std::vector<const ScalingLine*>& lines, const TimesById& times, Scaling scaling,
                                  const std::optional<Target>& target, const StyleOfRun& styleOf) {
    const std::vector<CurveStyle> styles = stylesOf(lines, styleOf);
    const QStringList names = namesOf(lines, scaling);
    std::vector<DrawnLine> drawn;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        std::vector<ScalingRun> runs;
        for (const RunItemPtr& run : lines[i]->runs) {
            const auto known = times.find(run->row.runId);
            if (known != times.end()) runs.push_back(scalingRun(run->row, run->line, known->second, target));
        }
        drawn.push_back({lines[i], names[static_cast<qsizetype>(i)], styles[i], scalingPoints(std::move(runs))});
    }
    return drawn;
}

QStringList leftOutInWords(const std::vector<DrawnLine>& lines) {
    QStringList words;
    for (const DrawnLine& line : lines) {
        const auto add = [&](const RunItem& run, const QString& why) {
            words << QStringLiteral("%1, %2, %3").arg(line.name, counted(run.row.workers, "worker"), why);
        };
        for (const auto* runs : {&line.line->unfinished, &line.line->live}) {
            for (const RunItemPtr& run : *runs) add(*run, seedEndInWords(*run));
        }
        std::set<std::pair<int, std::string>> newer;
        for (const RunItemPtr& run : line.line->runs) {
            if (!newer.emplace(run->row.workers, run->line.seeds).second) add(*run, madeAgainInWords(*run));
        }
    }
    return words;
}

std::vector<Curve> scalingCurves(const std::vector<DrawnLine>& lines, ScalingPlot plot) {
    const double scale = plot == ScalingPlot::Efficiency ? 100 : 1;
    std::vector<Curve> curves;
    for (const DrawnLine& line : lines) {
        Curve curve{
            .name = line.name, .style = line.style, .kind = Curve::Kind::Points, .hollow = line.line->simulated()};
        bool spread = false;
        for (const ScalingPoint& point : line.points) {
            if (!isDrawn(point, plot)) continue;
            const Sample& sample = sampleOf(point, plot);
            curve.line.x.push_back(point.workers);
            curve.line.y.push_back(sample.mean * scale);
            const auto half =
                plot == ScalingPlot::Efficiency ? spreadOfRatio(sample, Spread::Std) : spreadOf(sample, Spread::Std);
            curve.deviation.push_back(half.value_or(std::numeric_limits<double>::quiet_NaN()) * scale);
            curve.n.push_back(static_cast<int>(sample.n));
            spread = spread || half.value_or(0) > 0;
        }
        if (!spread) curve.deviation.clear();
        curves.push_back(std::move(curve));
    }
    for (Curve& ideal : idealCurves(lines, plot)) curves.push_back(std::move(ideal));
    return curves;
}

QString scalingAxis(const std::vector<DrawnLine>& lines, ScalingPlot plot, const std::optional<Target>& target) {
    QString axis = plot == ScalingPlot::Throughput ? QStringLiteral("samples/s")
                   : plot == ScalingPlot::Efficiency
                       ? QStringLiteral("efficiency [%]")
                       : QStringLiteral("time to ") + QString::fromStdString(target ? target->inWords() : "") +
                             QStringLiteral(" [s]");
    const auto simulated = [](const DrawnLine& line) { return line.line->simulated(); };
    if (!lines.empty() && std::all_of(lines.begin(), lines.end(), simulated))
        axis += QStringLiteral(", time simulated");
    const auto emulated = [](const DrawnLine& line) { return line.line->linkEmulated(); };
    if (!lines.empty() && std::all_of(lines.begin(), lines.end(), emulated)) axis += QStringLiteral(", link emulated");
    return axis;
}

QString ScalingNumber::text(const ScalingPoint& point) const {
    if (sample == &ScalingPoint::secondsToTarget) return timeToTargetText(point);
    const bool few = isRatio && (point.*sample).n < 3;
    return spreadInWords(scaled(point.*sample, scale), few ? Spread::None : Spread::Std);
}

QString timeToTargetText(const ScalingPoint& point) {
    if (point.secondsToTarget.n == 0) {
        return point.reached > 0 ? QStringLiteral("reached, not timed") : QStringLiteral("not reached");
    }
    const QString text = spreadInWords(point.secondsToTarget);
    if (point.allReached()) return text;
    return text + QStringLiteral(" (%1 of %2)").arg(point.secondsToTarget.n).arg(point.runIds.size());
}

QString pointInWords(const DrawnLine& line, const ScalingPoint& point, const std::optional<Target>& target) {
    QStringList lines{line.name,
                      QStringLiteral("%1, batch %2 each, %3")
                          .arg(counted(point.workers, "worker"))
                          .arg(point.batch)
                          .arg(line.line->simulated() ? QStringLiteral("time simulated") : line.line->origin())};
    for (const ScalingNumber& number : kScalingNumbers) {
        const bool isTarget = number.sample == &ScalingPoint::secondsToTarget;
        if (isTarget ? !target : (point.*number.sample).n == 0) continue;
        lines << QStringLiteral("%1: %2").arg(QString::fromUtf8(number.title), number.text(point));
        if (isTarget) lines.back().replace(QStringLiteral("target"), QString::fromStdString(target->inWords()));
    }
    constexpr std::size_t kMost = 6;
    for (std::size_t i = 0; i < std::min(kMost, point.runIds.size()); ++i)
        lines << QString::fromStdString(point.runIds[i]);
    if (point.runIds.size() > kMost) lines << QStringLiteral("and %1 more").arg(point.runIds.size() - kMost);
    return lines.join(QLatin1Char('\n'));
}

}  // namespace dasgd::gui
