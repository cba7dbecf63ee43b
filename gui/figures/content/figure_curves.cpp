#include "gui/figures/content/figure_curves.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "core/analysis/statistics.h"
#include "gui/compare/model/compare_set.h"
#include "gui/data/curves/run_curve.h"
#include "gui/data/curves/seed_mean.h"
#include "gui/data/curves/span_curve.h"
#include "gui/data/curves/training_time.h"
#include "gui/figures/model/figure_runs.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

constexpr std::size_t kPaperBuckets = 1000;  // about 2,000 points a curve: more than a printer resolves

// Samples of the metric as recorded, or computed from the run's spans, for each rank or for the whole run.
Result<std::vector<storage::MetricSample>> samplesOf(storage::WorkspaceReader& reader, const RunItem& run,
                                                     const CurveQuery& query) {
    if (!isFromSpans(query.metric)) {
        DASGD_ASSIGN(storage::MetricAnswer answer,
                     reader.metrics().samples({.runId = run.row.runId, .name = query.metric}));
        return std::move(answer.samples);
    }
    DASGD_ASSIGN(std::vector<storage::MetricSample> samples, readSpanCurve(reader, run, query.metric));
    const bool ranks = query.lines == FigureLines::Ranks;
    std::erase_if(samples, [&](const storage::MetricSample& sample) { return ranks != (sample.rank >= 0); });
    return samples;
}

Along alongIn(const CurveQuery& query) { return isFromSpans(query.metric) ? Along::Time : alongOf(query.metric); }

Result<Series> readSeries(storage::WorkspaceReader& reader, const RunItem& run, const CurveQuery& query) {
    DASGD_ASSIGN(const std::vector<storage::MetricSample> found, samplesOf(reader, run, query));
    Series whole(alongIn(query));
    whole.add(found);
    if (query.axis == XAxis::Training) {
        DASGD_ASSIGN(whole, onTrainingTime(reader.metrics(), run.row, whole));
    }
    return smoothed(whole, query.smoothing, query.scale);
}

struct Member {
    RunItemPtr run;
    Series series;
    [[nodiscard]] std::int64_t lastStep() const { return series.points().back().step; }
};

bool isFinished(const RunItemPtr& run) { return run->row.status == "finished"; }

// Notes on the runs that a curve of this group leaves out, and on a mean of runs that did not finish.
QStringList notesOf(const FigureGroup& group, const std::vector<Member>& members, const CurveQuery& query) {
    QStringList notes;
    const bool apart = query.lines == FigureLines::Seeds || query.lines == FigureLines::Ranks;
    bool cut = false;
    auto common = std::numeric_limits<std::int64_t>::max();
    std::size_t counted = 0;
    std::map<QString, QStringList> repeated;  // seeds that were run again, by the status of the older run
    for (const Member& member : members) {
        if (group.parts.contains(member.run->row.runId)) continue;
        if (!group.counts(*member.run)) {
            repeated[QString::fromStdString(member.run->row.status)] << QString::number(member.run->row.seed);
            continue;
        }
        ++counted;
        const bool taken = group.inMean(*member.run, query.members) && !member.series.empty();
        if (taken) common = std::min(common, member.lastStep());
        if (!isFinished(member.run)) {
            cut = cut || taken;
            notes << endOf(*member.run) + (taken ? QString() : QStringLiteral(", left out"));
        } else if (member.series.empty()) {
            notes << QStringLiteral("seed %1 has no such record, left out").arg(member.run->row.seed);
        }
    }
    for (const auto& [status, seeds] : repeated) {
        notes << (seeds.size() == 1 ? QStringLiteral("seed %1 was run again: the older run, %2, left out")
                                    : QStringLiteral("seeds %1 were run again: the older runs, %2, left out"))
                     .arg(seeds.join(QStringLiteral(", ")), status);
    }
    if (cut && counted > 1 && !apart) {
        notes << QStringLiteral("mean to step %1, as far as all of them go").arg(grouped(common));
    }
    return notes;
}

// Number of runs behind a mean: "n = 3", or "n = 2 to 3" where some points have fewer.
QString countInWords(const SeedMean& mean) {
    return mean.fewest() == mean.most() ? QStringLiteral("n = %1").arg(mean.most())
                                        : QStringLiteral("n = %1 to %2").arg(mean.fewest()).arg(mean.most());
}

// Sets half the width of the band from the standard deviation; NaN at points of a single run.
void takeBand(Curve& curve, std::vector<double> deviation, FigureBand band) {
    if (band == FigureBand::None) return;
    for (std::size_t i = 0; band == FigureBand::Interval95 && i < deviation.size(); ++i) {
        const int n = curve.n[i];
        if (n > 1) deviation[i] *= studentT975(static_cast<std::size_t>(n - 1)) / std::sqrt(n);
    }
    curve.deviation = std::move(deviation);
}

const QString kNoMean = QStringLiteral("no mean");

QString meanInWords(FigureBand band, const SeedMean& mean) {
    if (mean.nothingShared()) return kNoMean;
    if (mean.most() <= 1) return QStringLiteral("n = 1");
    const QString spread = band == FigureBand::None  ? QString()
                           : band == FigureBand::Std ? QStringLiteral(" ± std")
                                                     : QStringLiteral(" ± 95 % interval");
    return QStringLiteral("mean%1, %2").arg(spread, countInWords(mean));
}

// Appends the meaning of each mean to its curve's name; a part that all curves share becomes one note instead, which
// keeps the legend short.
void nameMeans(FigureCurves& made) {
    QStringList means = made.means;
    means.removeAll(kNoMean);
    const auto part = [](const QString& words, int at) { return words.section(QStringLiteral(", "), at, at); };
    const bool several = means.size() > 1 && !part(means.front(), 1).isEmpty();
    const bool sameKind = several && std::ranges::all_of(means, [&](const QString& words) {
                              return part(words, 0) == part(means.front(), 0);
                          });
    const bool alike = sameKind && means.count(means.front()) == means.size();
    if (sameKind) {
        made.notes.prepend(part(means.front(), 0) + QStringLiteral(" over seeds") +
                           (alike ? QStringLiteral(", ") + part(means.front(), 1) : QString()));
    }
    for (std::size_t i = 0; i < made.curves.size(); ++i) {
        if (alike && made.means[static_cast<qsizetype>(i)] != kNoMean) continue;
        const QString& words = made.means[static_cast<qsizetype>(i)];
        const QString own = sameKind && words != kNoMean ? part(words, 1) : words;
        if (!own.isEmpty()) made.curves[i].name += QStringLiteral(" (%1)").arg(own);
    }
}

Polyline paperLine(const Series& series, XAxis axis) { return thinned(polylineOf(series, axis), kPaperBuckets); }

// Sets the curve to the group's mean. Answers its meaning in words, as "mean ± std, n = 3"; "" for a group of one run.
QString takeMean(Curve& curve, const FigureGroup& group, std::vector<Member> members, const CurveQuery& query) {
    if (group.runs.size() == 1) {
        curve.line = paperLine(members.front().series, query.axis);
        curve.n.assign(curve.line.x.size(), 1);
        return {};
    }
    if (!std::ranges::all_of(members, [](const Member& member) { return isFinished(member.run); })) {
        std::int64_t common = members.front().lastStep();
        for (const Member& member : members) common = std::min(common, member.lastStep());
        for (Member& member : members) member.series = upToStep(member.series, common);
    }
    std::vector<const Series*> series;
    series.reserve(members.size());
    for (const Member& member : members) series.push_back(&member.series);
    for (const Member& member : query.lines == FigureLines::MeanAndSeeds ? members : std::vector<Member>()) {
        curve.behind.push_back(paperLine(member.series, query.axis));
        curve.behindNames << QStringLiteral("%1, seed %2").arg(curve.name).arg(member.run->row.seed);
    }
    SeedMean mean = seedMean(series, query.axis);
    const QString words = meanInWords(query.band, mean);
    if (mean.cut) {
        curve.note += QLatin1String(curve.note.isEmpty() ? "" : "; ") +
                      (mean.nothingShared() ? QStringLiteral("no mean, ") + nothingSharedInWords(query.axis)
                                            : QStringLiteral("mean where all of them have records"));
    }
    const bool spread = mean.n.empty() || mean.most() > 1;
    curve.line = std::move(mean.mean);
    curve.n = std::move(mean.n);
    if (spread) takeBand(curve, std::move(mean.deviation), query.band);
    return words;
}

// "sync_sgd, seed 3"; the group's name if it has one run.
QString seedCurveName(const FigureGroup& group, const RunItem& run) {
    return group.runs.size() == 1 ? group.name : QStringLiteral("%1, seed %2").arg(group.name).arg(run.row.seed);
}

void addSeeds(const FigureGroup& group, const std::vector<Member>& members, const CurveQuery& query,
              StylesApart& styles, std::vector<Curve>& into) {
    for (const Member& member : members) {
        Curve curve{.name = seedCurveName(group, *member.run), .style = styles.take(group.style)};
        curve.line = paperLine(member.series, query.axis);
        curve.n.assign(curve.line.x.size(), 1);
        into.push_back(std::move(curve));
    }
}

// Adds a curve for each rank. Ranks of a single run have their styles of the Run page.
Status addRanks(storage::WorkspaceReader& reader, const FigureGroup& group, const std::vector<Member>& members,
                const CurveQuery& query, StylesApart& styles, FigureCurves& into) {
    for (const Member& member : members) {
        DASGD_ASSIGN(const std::vector<storage::MetricSample> found, samplesOf(reader, *member.run, query));
        std::map<int, std::vector<storage::MetricSample>> samples;
        for (const storage::MetricSample& sample : found) samples[sample.rank].push_back(sample);
        std::map<int, Series> ranks;
        for (const auto& [rank, own] : samples) {
            Series& series = ranks.try_emplace(rank, alongIn(query)).first->second;
            series.add(own);
            if (query.axis != XAxis::Training) continue;
            DASGD_ASSIGN(series, onTrainingTime(reader.metrics(), member.run->row, series));
        }
        const QString name = seedCurveName(group, *member.run);
        for (Curve& curve : rankCurves(
                 query.metric, ranks,
                 {.axis = query.axis, .scale = query.scale, .smoothing = query.smoothing, .buckets = kPaperBuckets},
                 kMostRankCurves)) {
            curve.name = name + QStringLiteral(", ") + curve.name;
            curve.style = styles.take(curve.style);
            curve.raw.reset();
            curve.n.assign(curve.line.x.size(), 1);
            into.curves.push_back(std::move(curve));
        }
        if (ranks.size() > kMostRankCurves) {
            into.notes
                << QStringLiteral("%1: the first %2 of %3 ranks").arg(name).arg(kMostRankCurves).arg(ranks.size());
        }
    }
    return {};
}

// Adds the curves of a group. `members`: the runs that have the metric and are taken; at least one.
Status addCurves(storage::WorkspaceReader& reader, const FigureGroup& group, std::vector<Member> members,
                 const QStringList& notes, const CurveQuery& query, StylesApart& styles, FigureCurves& into) {
    if (query.lines == FigureLines::Mean || query.lines == FigureLines::MeanAndSeeds) {
        Curve curve{.name = group.name, .style = group.style, .note = notes.join(QStringLiteral("; "))};
        into.means << takeMean(curve, group, std::move(members), query);
        into.curves.push_back(std::move(curve));
        return {};
    }
    if (!notes.isEmpty()) into.notes << group.name + QStringLiteral(": ") + notes.join(QStringLiteral("; "));
    if (query.lines == FigureLines::Ranks) return addRanks(reader, group, members, query, styles, into);
    addSeeds(group, members, query, styles, into.curves);
    return {};
}

// The name that the spec gives to the curveKey() of a run; "" where it gives none.
QString writtenNameOf(const RunItem& run, const std::map<QString, QString>& names) {
    const auto written = names.find(curveKey(run));
    return written == names.end() ? QString() : written->second;
}

// Splits groups whose experiments have different names in the spec. Such names mean a comparison, as of before and
// after a change of the code, so neither run counts as a repetition of the other though the configuration is the same.
std::vector<CompareGroup> apartByNames(std::vector<CompareGroup> groups, const std::map<QString, QString>& names) {
    StylesApart styles;
    for (CompareGroup& group : groups) group.style = styles.take(group.style);
    std::vector<CompareGroup> apart;
    for (CompareGroup& group : groups) {
        std::map<QString, std::string> oldest;  // id of the oldest run of each name
        for (const RunItemPtr& run : group.runs) {
            std::string& id = oldest.try_emplace(writtenNameOf(*run, names), run->row.runId).first->second;
            id = std::min(id, run->row.runId);
        }
        if (oldest.size() - (oldest.contains(QString()) ? 1 : 0) < 2) {
            apart.push_back(std::move(group));
            continue;
        }
        std::vector<std::pair<std::string, QString>> byAge;
        for (const auto& [name, id] : oldest) byAge.emplace_back(id, name);
        std::ranges::sort(byAge);
        for (const auto& [id, name] : byAge) {
            CompareGroup part{.key = group.key, .name = group.name, .style = group.style};
            if (id != byAge.front().first) part.style = styles.take(group.style);
            for (const RunItemPtr& run : group.runs) {
                if (writtenNameOf(*run, names) == name) part.runs.push_back(run);
            }
            part.repeated = repeatedOf(part.runs);
            part.parts = earlierPartsOf(part.runs);
            apart.push_back(std::move(part));
        }
    }
    return apart;
}

}  // namespace

QString endOf(const RunItem& run) {
    const QString status = QString::fromStdString(run.row.status);
    const QString words = status == QLatin1String("running") ? QStringLiteral("is still running") : status;
    return QStringLiteral("seed %1 %2 at step %3").arg(run.row.seed).arg(words).arg(run.row.steps);
}

bool FigureGroup::inMean(const RunItem& run, FigureMembers members) const {
    if (!counts(run)) return false;
    if (run.row.status == "finished") return true;
    if (members == FigureMembers::AsFarAsAll) return run.row.status != "queued";
    return std::none_of(runs.begin(), runs.end(), isFinished);
}

Result<std::vector<RunItemPtr>> allRuns(storage::RunReader& reader) {
    DASGD_ASSIGN(std::vector<storage::RunRow> rows, reader.list());
    std::vector<RunItemPtr> all;
    all.reserve(rows.size());
    RunItemMaker maker;
    for (storage::RunRow& row : rows) all.push_back(maker.make(std::move(row)));
    return all;
}

// Groups are those of bars, maps and the Compare page, split by names: one configuration may be in several experiments.
Result<std::vector<FigureGroup>> figureGroups(storage::RunReader& reader, std::span<const RunItemPtr> runs,
                                              std::span<const RunItemPtr> all,
                                              const std::map<QString, QString>& names) {
    StyleBook styles;
    styles.assign(all);
    std::vector<FigureGroup> groups;
    const auto styleOf = [&](const RunItem& run) { return styles.styleOf(run); };
    for (CompareGroup& own : apartByNames(compareGroups(runs, styleOf), names)) {
        // The link is a setting, so all runs of a group have the same.
        DASGD_ASSIGN(const storage::RunDetail detail, reader.detail(own.runs.front()->row.runId));
        groups.push_back({.key = curveKey(*own.runs.front()),
                          .usualName = own.name,
                          .name = nameOfCurves(names, own.runs, own.name),
                          .style = own.style,
                          .runs = std::move(own.runs),
                          .repeated = std::move(own.repeated),
                          .parts = std::move(own.parts),
                          .linkEmulated = detail.linkEmulated});
    }
    return groups;
}

Result<FigureCurves> figureCurves(storage::WorkspaceReader& reader, const std::vector<FigureGroup>& groups,
                                  const CurveQuery& query) {
    FigureCurves out;
    StylesApart styles;
    for (const FigureGroup& group : groups) {
        std::vector<Member> members;
        for (const RunItemPtr& run : group.runs) {
            DASGD_ASSIGN(Series one, readSeries(reader, *run, query));
            members.push_back({run, std::move(one)});
        }
        const QStringList notes = notesOf(group, members, query);
        std::erase_if(members, [&](const Member& member) {
            return member.series.empty() || (group.runs.size() > 1 && !group.inMean(*member.run, query.members));
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
        const std::size_t before = out.curves.size();
        DASGD_TRY(addCurves(reader, group, std::move(members), notes, query, styles, out));
        for (std::size_t i = before; i < out.curves.size(); ++i) out.curves[i].hollow = group.simulated();
        if (!out.means.isEmpty() && out.means.back() == kNoMean) taken.assign(taken.size(), false);
    }
    if (!out.means.isEmpty()) nameMeans(out);
    return out;
}

}  // namespace dasgd::gui
