#include "gui/compare/model/group_curve.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gui/data/curves/metric_words.h"
#include "gui/data/curves/span_curve.h"
#include "gui/data/curves/training_time.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

bool isFinished(const GroupMember& member) { return member.run->row.status == "finished"; }

// Cuts all to their last common step if any did not finish. Returns that step if it cuts anything.
std::optional<std::int64_t> cutToShortest(std::vector<GroupMember>& members) {
    if (members.size() < 2 || std::ranges::all_of(members, isFinished)) return std::nullopt;
    std::int64_t common = std::numeric_limits<std::int64_t>::max(), longest = 0;
    for (const GroupMember& member : members) {
        common = std::min(common, member.series.points().back().step);
        longest = std::max(longest, member.series.points().back().step);
    }
    for (GroupMember& member : members) member.series = upToStep(member.series, common);
    return common < longest ? std::optional(common) : std::nullopt;
}

}  // namespace

QString placeInWords(XAxis axis, double x) {
    switch (axis) {
        case XAxis::Step: return QStringLiteral("step ") + grouped(std::llround(x));
        case XAxis::Epoch: return QStringLiteral("epoch ") + shortNumber(x, 3);
        case XAxis::Wall:
        case XAxis::Training: return shortNumber(x, 3) + QStringLiteral(" s");
        case XAxis::Samples: return grouped(std::llround(x)) + QStringLiteral(" samples");
        case XAxis::BytesSent: return bytesInWords(x).text();
    }
    return {};
}

Result<GroupMember> readMember(storage::WorkspaceReader& reader, const RunItemPtr& run, const CompareCurveKey& key) {
    const bool spans = isFromSpans(key.metric);
    GroupMember member{.run = run, .series = Series(spans ? Along::Time : alongOf(key.metric))};
    if (spans) {
        DASGD_ASSIGN(std::vector<storage::MetricSample> samples, readSpanCurve(reader, *run, key.metric));
        std::erase_if(samples, [](const storage::MetricSample& sample) { return sample.rank >= 0; });
        member.series.add(samples);
    } else {
        DASGD_ASSIGN(const storage::MetricAnswer answer,
                     reader.metrics().samples({.runId = run->row.runId, .name = key.metric}));
        member.series.add(answer.samples);
    }
    if (key.axis == XAxis::Training && !member.series.empty()) {
        DASGD_ASSIGN(const auto clock, TrainingClock::read(reader.metrics(), run->row));
        member.unclocked = !clock;
        member.series = clock ? onTrainingTime(member.series, *clock) : Series(member.series.along());
    }
    member.series = smoothed(member.series, key.smoothing, wordsOf(key.metric).scale);
    return member;
}

double GroupCurve::spreadAt(std::size_t point, Spread spread) const {
    return halfWidth(static_cast<std::size_t>(mean.n[point]), mean.deviation[point], spread);
}

std::optional<std::size_t> GroupCurve::pointAt(double x) const {
    const std::vector<double>& xs = mean.mean.x;
    if (xs.empty() || x < xs.front() || x > xs.back()) return std::nullopt;
    const auto next = std::lower_bound(xs.begin(), xs.end(), x);
    const auto at = static_cast<std::size_t>(next - xs.begin());
    return at > 0 && x - xs[at - 1] < xs[at] - x ? at - 1 : at;
}

GroupCurve groupCurve(std::vector<GroupMember> members, XAxis axis, std::size_t buckets) {
    GroupCurve out;
    const std::size_t all = members.size();
    const bool clocked = std::ranges::any_of(
        members, [](const GroupMember& member) { return !member.unclocked && !member.series.empty(); });
    out.unclocked = !clocked && std::ranges::any_of(members, &GroupMember::unclocked);
    std::erase_if(members, [](const GroupMember& member) { return member.series.empty(); });
    QStringList notes;
    if (members.size() < all)
        notes << QStringLiteral("%1 of %2 runs have no such record").arg(all - members.size()).arg(all);
    if (const auto last = cutToShortest(members))
        notes << QStringLiteral("to step %1, as far as all of its seeds go").arg(grouped(*last));
    // The order in which tables add up their numbers.
    std::ranges::stable_sort(members, {}, [](const GroupMember& member) { return member.run->line.seeds; });
    std::vector<const Series*> series;
    for (const GroupMember& member : members) {
        series.push_back(&member.series);
        out.runs.push_back(member.run);
        out.seeds.push_back(thinned(polylineOf(member.series, axis), buckets));
    }
    if (!members.empty()) out.mean = seedMean(series, axis);
    const std::vector<double>& x = out.mean.mean.x;
    if (out.mean.nothingShared()) notes << QStringLiteral("no mean: ") + nothingSharedInWords(axis);
    if (!x.empty() && out.mean.cut)
        notes << QStringLiteral("from %1, where all of its seeds have records").arg(placeInWords(axis, x.front()));
    if (!x.empty() && out.mean.endsApart()) {
        notes << QStringLiteral("its seeds end between %1 and %2, the mean at the mean of their ends")
                     .arg(placeInWords(axis, out.mean.firstEnd), placeInWords(axis, out.mean.lastEnd));
    }
    out.whole = !members.empty() && std::ranges::all_of(members, isFinished);
    out.note = notes.join(QStringLiteral("; "));
    return out;
}

Curve curveOf(const CompareGroup& group, const GroupCurve& made, Spread spread, bool seeds) {
    Curve curve{.name = group.name, .style = group.style, .line = made.mean.mean, .n = made.mean.n, .note = made.note};
    curve.hollow = group.simulated();
    const int most = made.mean.most();
    if (most > 1 && (seeds || (most == 2 && spread != Spread::None))) curve.behind = made.seeds;
    if (most < 2 || spread == Spread::None) return curve;
    for (std::size_t i = 0; i < made.mean.n.size(); ++i) curve.deviation.push_back(made.spreadAt(i, spread));
    return curve;
}

}  // namespace dasgd::gui
