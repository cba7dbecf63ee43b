#include "gui/figures/figure_curves.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/analysis/statistics.h"
#include "gui/models/compare/compare_set.h"
#include "gui/models/curves/seed_mean.h"
#include "gui/models/figures/figure_runs.h"

namespace dasgd::gui {

namespace {

constexpr std::size_t kPaperBuckets = 1000;  // about 2,000 points a curve: more than a printer resolves

Result<Series> readSeries(storage::RunReader& reader, const RunItem& run, const CurveQuery& query) {
    DASGD_ASSIGN(storage::MetricAnswer answer, reader.metrics({.runId = run.row.runId, .name = query.metric}));
    Series whole(alongOf(query.metric));
    whole.add(answer.samples);
    const std::vector<double> values = smoothed(polylineOf(whole, XAxis::Step).y, query.smoothing);
    std::vector<storage::MetricSample> samples;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const SeriesPoint& point = whole.points()[i];
        samples.push_back({.step = point.step,
                           .epoch = point.epoch,
                           .wallS = point.wallS,
                           .samples = point.samples,
                           .bytesSent = static_cast<std::int64_t>(point.bytesSent),
                           .value = values[i] * query.scale});
    }
    Series out(whole.along());
    out.add(samples);
    return out;
}

struct Member {
    RunItemPtr run;
    Series series;
};

bool isFinished(const RunItemPtr& run) { return run->row.status == "finished"; }

// What a curve of this group leaves out, or that nothing of it has finished.
QString notesOf(const FigureGroup& group, const std::vector<Member>& members) {
    QStringList notes;
    const bool anyFinished = std::any_of(group.runs.begin(), group.runs.end(), isFinished);
    std::size_t counted = 0;
    for (const Member& member : members) {
        if (!group.counts(*member.run)) {
            notes << QStringLiteral("seed %1 was run again: the older run, %2, left out")
                         .arg(member.run->row.seed)
                         .arg(QString::fromStdString(member.run->row.status));
            continue;
        }
        ++counted;
        if (!isFinished(member.run)) {
            notes << endOf(*member.run) + (anyFinished ? QStringLiteral(", left out") : QString());
        } else if (member.series.empty()) {
            notes << QStringLiteral("seed %1 has no such record, left out").arg(member.run->row.seed);
        }
    }
    if (!anyFinished && counted > 1) notes << QStringLiteral("mean as far as all of them go");
    return notes.join(QStringLiteral("; "));
}

// "n = 3", or "n = 2 to 3" where some points have fewer.
QString countInWords(const SeedMean& mean) {
    return mean.fewest() == mean.most() ? QStringLiteral("n = %1").arg(mean.most())
                                        : QStringLiteral("n = %1 to %2").arg(mean.fewest()).arg(mean.most());
}

// From the standard deviation to half the width of the band; NaN where one run alone makes the point.
void takeBand(Curve& curve, std::vector<double> deviation, FigureBand band) {
    if (band == FigureBand::None) return;
    for (std::size_t i = 0; band == FigureBand::Interval95 && i < deviation.size(); ++i) {
        const int n = curve.n[i];
        if (n > 1) deviation[i] *= studentT975(static_cast<std::size_t>(n - 1)) / std::sqrt(n);
    }
    curve.deviation = std::move(deviation);
}

QString meanInWords(FigureBand band, const SeedMean& mean) {
    if (mean.most() <= 1) return QStringLiteral(" (n = 1)");
    const QString spread = band == FigureBand::None  ? QString()
                           : band == FigureBand::Std ? QStringLiteral(" ± std")
                                                     : QStringLiteral(" ± 95 % interval");
    return QStringLiteral(" (mean%1, %2)").arg(spread, countInWords(mean));
}

void takeMean(Curve& curve, const FigureGroup& group, std::vector<Member> members, const CurveQuery& query) {
    if (group.runs.size() == 1) {
        curve.line = thinned(polylineOf(members.front().series, query.axis), kPaperBuckets);
        curve.n.assign(curve.line.x.size(), 1);
        return;
    }
    if (!isFinished(members.front().run)) {
        std::int64_t common = members.front().series.points().back().step;
        for (const Member& member : members) common = std::min(common, member.series.points().back().step);
        for (Member& member : members) member.series = upToStep(member.series, common);
    }
    std::vector<const Series*> series;
    series.reserve(members.size());
    for (const Member& member : members) series.push_back(&member.series);
    SeedMean mean = seedMean(series, query.axis);
    curve.name += meanInWords(query.band, mean);
    if (mean.cut) {
        curve.note +=
            QLatin1String(curve.note.isEmpty() ? "" : "; ") + QStringLiteral("mean where all of them were running");
    }
    const bool spread = mean.n.empty() || mean.most() > 1;
    curve.line = std::move(mean.mean);
    curve.n = std::move(mean.n);
    if (spread) takeBand(curve, std::move(mean.deviation), query.band);
}

}  // namespace

QString endOf(const RunItem& run) {
    const QString status = QString::fromStdString(run.row.status);
    const QString words = status == QLatin1String("running") ? QStringLiteral("is still running") : status;
    return QStringLiteral("seed %1 %2 at step %3").arg(run.row.seed).arg(words).arg(run.row.steps);
}

bool FigureGroup::inMean(const RunItem& run) const {
    return counts(run) && (run.row.status == "finished" || std::none_of(runs.begin(), runs.end(), isFinished));
}

Result<std::vector<RunItemPtr>> allRuns(storage::RunReader& reader) {
    DASGD_ASSIGN(std::vector<storage::RunRow> rows, reader.runs());
    std::vector<RunItemPtr> all;
    all.reserve(rows.size());
    RunItemMaker maker;
    for (storage::RunRow& row : rows) all.push_back(maker.make(std::move(row)));
    return all;
}

Result<std::vector<FigureGroup>> figureGroups(storage::RunReader& reader, std::span<const RunItemPtr> runs,
                                              std::span<const RunItemPtr> all,
                                              const std::map<QString, QString>& names) {
    std::vector<FigureGroup> groups;
    std::vector<RunItemPtr> firsts;
    for (const RunItemPtr& run : runs) {
        const auto same = std::find_if(groups.begin(), groups.end(), [&](const FigureGroup& group) {
            return group.runs.front()->group == run->group && group.runs.front()->row.experiment == run->row.experiment;
        });
        if (same != groups.end()) {
            same->runs.push_back(run);
            continue;
        }
        // The link is a setting: that of one run is that of all.
        DASGD_ASSIGN(const storage::RunDetail detail, reader.run(run->row.runId));
        groups.push_back({.key = curveKey(*run), .runs = {run}, .linkEmulated = detail.linkEmulated});
        firsts.push_back(run);
    }
    StyleBook styles;
    std::set<std::string> assigned;
    for (const RunItemPtr& first : firsts) {
        if (!assigned.insert(first->row.experiment).second) continue;
        std::vector<RunItemPtr> experiment;
        std::copy_if(all.begin(), all.end(), std::back_inserter(experiment),
                     [&](const RunItemPtr& run) { return run->row.experiment == first->row.experiment; });
        styles.assign(experiment);
    }
    const QStringList usual = distinguishingNames(firsts);
    StylesApart apart;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        FigureGroup& group = groups[i];
        group.repeated = repeatedOf(group.runs);
        group.usualName = group.name = usual[static_cast<qsizetype>(i)];
        group.style = apart.take(styles.styleOf(*firsts[i]));
        for (const QString& of : {group.key, group.usualName}) {
            const auto chosen = names.find(of);
            if (chosen == names.end() || chosen->second.isEmpty()) continue;
            group.name = chosen->second;
            break;
        }
    }
    return groups;
}

Result<FigureCurves> figureCurves(storage::RunReader& reader, const std::vector<FigureGroup>& groups,
                                  const CurveQuery& query) {
    FigureCurves out;
    for (const FigureGroup& group : groups) {
        std::vector<Member> members;
        for (const RunItemPtr& run : group.runs) {
            DASGD_ASSIGN(Series one, readSeries(reader, *run, query));
            members.push_back({run, std::move(one)});
        }
        Curve curve{.name = group.name, .style = group.style, .note = notesOf(group, members)};
        std::erase_if(members, [&](const Member& member) {
            return member.series.empty() || (group.runs.size() > 1 && !group.inMean(*member.run));
        });
        std::vector<bool>& taken = out.taken.emplace_back();
        for (const RunItemPtr& run : group.runs) {
            taken.push_back(
                std::any_of(members.begin(), members.end(), [&](const Member& member) { return member.run == run; }));
        }
        if (members.empty()) {
            out.notes << QStringLiteral("%1: no curve, none of %2 %3 recorded %4")
                             .arg(group.name)
                             .arg(group.runs.size())
                             .arg(QLatin1String(group.runs.size() == 1 ? "run" : "runs"),
                                  QString::fromStdString(query.metric));
            continue;
        }
        takeMean(curve, group, std::move(members), query);
        out.curves.push_back(std::move(curve));
    }
    return out;
}

}  // namespace dasgd::gui
