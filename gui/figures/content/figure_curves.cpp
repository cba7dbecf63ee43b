#include "gui/figures/content/figure_curves.h"

#include <algorithm>
#include <map>
#include <utility>

#include "gui/data/curves/metric_words.h"
#include "gui/data/curves/run_curve.h"
#include "gui/data/curves/span_curve.h"
#include "gui/data/curves/training_time.h"
#include "gui/figures/model/figure_runs.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

// Number of runs behind a mean: "n = 3", or "n = 2 to 3" where some points have fewer.
QString countInWords(const SeedMean& mean) {
    return mean.fewest() == mean.most() ? QStringLiteral("n = %1").arg(mean.most())
                                        : QStringLiteral("n = %1 to %2").arg(mean.fewest()).arg(mean.most());
}

const QString kNoMean = QStringLiteral("no mean");

QString meanInWords(Spread band, const SeedMean& mean) {
    if (mean.nothingShared()) return kNoMean;
    if (mean.most() <= 1) return QStringLiteral("n = 1");
    const QString spread = band == Spread::None  ? QString()
                           : mean.most() == 2    ? QStringLiteral(" and range")
                           : band == Spread::Std ? QStringLiteral(" ± std")
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

// "sync_sgd, seed 3"; the group's name if it has one run.
QString seedCurveName(const CompareGroup& group, const RunItem& run) {
    return group.runs.size() == 1 ? group.name : QStringLiteral("%1, seed %2").arg(group.name).arg(run.row.seed);
}

CompareCurveKey keyOf(const FigureSpec& spec) { return {spec.metric.toStdString(), spec.x, spec.smoothing}; }

void addMean(const CompareGroup& group, std::vector<GroupMember> members, QStringList notes, const FigureSpec& spec,
             FigureCurves& into) {
    const GroupCurve made = groupCurve(std::move(members), spec.x, kPaperBuckets);
    Curve curve = curveOf(group, made, spec.band, spec.lines == FigureLines::MeanAndSeeds);
    if (!made.note.isEmpty()) notes << made.note;
    curve.note = notes.join(QStringLiteral("; "));
    for (std::size_t seed = 0; seed < curve.behind.size(); ++seed)
        curve.behindNames << seedCurveName(group, *made.runs[seed]);
    into.means << (group.runs.size() == 1 ? QString() : meanInWords(spec.band, made.mean));
    into.curves.push_back(std::move(curve));
}

void addSeeds(const CompareGroup& group, const std::vector<GroupMember>& members, const FigureSpec& spec,
              StylesApart& styles, std::vector<Curve>& into) {
    for (const GroupMember& member : members) {
        Curve curve{.name = seedCurveName(group, *member.run), .style = styles.take(group.style)};
        curve.line = thinned(polylineOf(member.series, spec.x), kPaperBuckets);
        curve.n.assign(curve.line.x.size(), 1);
        into.push_back(std::move(curve));
    }
}

// Records of each rank; of curves over spans without those of the whole run.
Result<std::map<int, std::vector<storage::MetricSample>>> samplesOfRanks(storage::WorkspaceReader& reader,
                                                                         const RunItem& run,
                                                                         const std::string& metric) {
    std::vector<storage::MetricSample> found;
    if (isFromSpans(metric)) {
        DASGD_ASSIGN(found, readSpanCurve(reader, run, metric));
        std::erase_if(found, [](const storage::MetricSample& sample) { return sample.rank < 0; });
    } else {
        DASGD_ASSIGN(storage::MetricAnswer answer, reader.metrics().samples({.runId = run.row.runId, .name = metric}));
        found = std::move(answer.samples);
    }
    std::map<int, std::vector<storage::MetricSample>> samples;
    for (const storage::MetricSample& sample : found) samples[sample.rank].push_back(sample);
    return samples;
}

// Adds a curve for each rank. Ranks of a single run have their styles of the Run page.
Status addRanks(storage::WorkspaceReader& reader, const CompareGroup& group, const std::vector<GroupMember>& members,
                const FigureSpec& spec, StylesApart& styles, FigureCurves& into) {
    const std::string metric = spec.metric.toStdString();
    for (const GroupMember& member : members) {
        DASGD_ASSIGN(const auto samples, samplesOfRanks(reader, *member.run, metric));
        std::map<int, Series> ranks;
        for (const auto& [rank, own] : samples) {
            Series& series = ranks.try_emplace(rank, member.series.along()).first->second;
            series.add(own);
            if (spec.x != XAxis::Training) continue;
            DASGD_ASSIGN(series, onTrainingTime(reader.metrics(), member.run->row, series));
        }
        const QString name = seedCurveName(group, *member.run);
        for (Curve& curve : rankCurves(metric, ranks,
                                       {.axis = spec.x,
                                       .scale = wordsOf(metric).scale,
                                       .smoothing = spec.smoothing,
                                       .buckets = kPaperBuckets},
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

// The name that the spec gives to the curveKey() of a run; "" where it gives none.
QString writtenNameOf(const RunItem& run, const std::map<QString, QString>& names) {
    const auto written = names.find(curveKey(run));
    return written == names.end() ? QString() : written->second;
}

// Splits groups whose experiments have different names in the spec.
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
            CompareGroup part{.key = group.key, .name = group.name, .usualName = group.usualName, .style = group.style};
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

Result<std::vector<RunItemPtr>> allRuns(storage::RunReader& reader) {
    DASGD_ASSIGN(std::vector<storage::RunRow> rows, reader.list());
    std::vector<RunItemPtr> all;
    all.reserve(rows.size());
    RunItemMaker maker;
    for (storage::RunRow& row : rows) all.push_back(maker.make(std::move(row)));
    return all;
}

std::vector<CompareGroup> figureGroups(std::span<const RunItemPtr> runs, std::span<const RunItemPtr> all,
                                       const std::map<QString, QString>& names) {
    StyleBook styles;
    styles.assign(all);
    std::vector<CompareGroup> groups = compareGroups(runs, [&](const RunItem& run) { return styles.styleOf(run); });
    for (CompareGroup& group : groups) group.name = nameOfCurves(names, group.runs, group.usualName);
    return groups;
}

std::vector<CompareGroup> groupsApart(std::span<const RunItemPtr> runs, std::span<const RunItemPtr> all,
                                      const std::map<QString, QString>& names) {
    std::vector<CompareGroup> groups = apartByNames(figureGroups(runs, all, names), names);
    for (CompareGroup& group : groups) group.name = nameOfCurves(names, group.runs, group.usualName);
    return groups;
}

Result<FigureCurves> figureCurves(storage::WorkspaceReader& reader, const std::vector<CompareGroup>& groups,
                                  const FigureSpec& spec) {
    FigureCurves out;
    StylesApart styles;
    for (const CompareGroup& group : groups) {
        std::vector<GroupMember> members;
        for (const RunItemPtr& run : group.runs) {
            if (!group.takes(*run, spec.members)) continue;
            DASGD_ASSIGN(GroupMember member, readMember(reader, run, keyOf(spec)));
            members.push_back(std::move(member));
        }
        QStringList notes = leftOutOf(group, spec.members);
        for (const GroupMember& member : members) {
            if (member.series.empty())
                notes << QStringLiteral("seed %1 has no such record, left out").arg(member.run->row.seed);
        }
        std::erase_if(members, [](const GroupMember& member) { return member.series.empty(); });
        std::vector<bool>& taken = out.taken.emplace_back();
        for (const RunItemPtr& run : group.runs)
            taken.push_back(std::ranges::count(members, run, &GroupMember::run) > 0);
        if (members.empty()) {
            out.notes << QStringLiteral("%1: no curve, none of %2 recorded %3")
                             .arg(group.name, counted(std::ssize(group.runs), "run"), spec.metric);
            continue;
        }
        const std::size_t before = out.curves.size();
        if (spec.lines == FigureLines::Mean || spec.lines == FigureLines::MeanAndSeeds) {
            addMean(group, std::move(members), std::move(notes), spec, out);
            if (out.means.back() == kNoMean) taken.assign(taken.size(), false);
            continue;
        }
        if (!notes.isEmpty()) out.notes << group.name + QStringLiteral(": ") + notes.join(QStringLiteral("; "));
        if (spec.lines == FigureLines::Ranks) DASGD_TRY(addRanks(reader, group, members, spec, styles, out));
        if (spec.lines == FigureLines::Seeds) addSeeds(group, members, spec, styles, out.curves);
        for (std::size_t i = before; i < out.curves.size(); ++i) out.curves[i].hollow = group.simulated();
    }
    if (!out.means.isEmpty()) nameMeans(out);
    return out;
}

}  // namespace dasgd::gui
