#include "gui/compare/model/group_curve.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/statistics.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

constexpr std::size_t kSeedBuckets = 400;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

void scaleBy(Polyline& line, double scale) {
    for (double& y : line.y) y *= scale;
}

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

double GroupCurve::spreadAt(std::size_t point, Spread spread) const {
    if (spread == Spread::None || point >= mean.deviation.size() || mean.n[point] < 2) return kNone;
    const double deviation = mean.deviation[point];
    if (spread == Spread::Deviation) return deviation;
    const auto n = static_cast<std::size_t>(mean.n[point]);
    return studentT975(n - 1) * deviation / std::sqrt(static_cast<double>(n));
}

std::optional<std::size_t> GroupCurve::pointAt(double x) const {
    const std::vector<double>& xs = mean.mean.x;
    if (xs.empty() || x < xs.front() || x > xs.back()) return std::nullopt;
    const auto next = std::lower_bound(xs.begin(), xs.end(), x);
    const auto at = static_cast<std::size_t>(next - xs.begin());
    return at > 0 && x - xs[at - 1] < xs[at] - x ? at - 1 : at;
}

GroupCurve groupCurve(std::vector<GroupMember> members, XAxis axis, double scale, double smoothing) {
    GroupCurve out;
    const std::size_t all = members.size();
    std::erase_if(members, [](const GroupMember& member) { return member.series.empty(); });
    QStringList notes;
    if (members.size() < all)
        notes << QStringLiteral("%1 of %2 runs have no such record").arg(all - members.size()).arg(all);
    if (const auto last = cutToShortest(members))
        notes << QStringLiteral("to step %1, as far as all of its seeds go").arg(grouped(*last));
    if (members.empty()) {
        out.note = notes.join(QStringLiteral("; "));
        return out;
    }
    std::vector<const Series*> series;
    for (GroupMember& member : members) {
        if (smoothing > 0) member.series = smoothed(member.series, smoothing);
        series.push_back(&member.series);
        out.seeds.push_back(thinned(polylineOf(member.series, axis), kSeedBuckets));
        scaleBy(out.seeds.back(), scale);
    }
    out.mean = seedMean(series, axis);
    scaleBy(out.mean.mean, scale);
    for (double& deviation : out.mean.deviation) deviation *= std::abs(scale);
    if (out.mean.nothingShared()) notes << QStringLiteral("no mean: ") + nothingSharedInWords(axis);
    if (out.mean.cut && !out.mean.mean.x.empty()) {
        const std::vector<double>& x = out.mean.mean.x;
        notes << QStringLiteral("where all of its seeds have records, %1 to %2")
                     .arg(placeInWords(axis, x.front()), placeInWords(axis, x.back()));
    }
    // A step that one seed lacks cuts nothing off the end.
    const auto reachesEnd = [&](const Polyline& seed) {
        return !out.mean.cut || (!out.mean.mean.x.empty() && seed.x.back() <= out.mean.mean.x.back());
    };
    out.whole = std::ranges::all_of(members, isFinished) && std::ranges::all_of(out.seeds, reachesEnd);
    out.note = notes.join(QStringLiteral("; "));
    return out;
}

Curve curveOf(const CompareGroup& group, const GroupCurve& made, Spread spread) {
    Curve curve{.name = group.name, .style = group.style, .line = made.mean.mean, .n = made.mean.n, .note = made.note};
    curve.hollow = group.simulated();
    if (made.mean.most() < 2 || spread == Spread::None) return curve;
    // Student's t is computed once for each n, not once for each point.
    std::vector<double> factor(static_cast<std::size_t>(made.mean.most()) + 1, spread == Spread::Deviation ? 1 : kNone);
    for (std::size_t n = 2; spread == Spread::Interval && n < factor.size(); ++n) {
        factor[n] = studentT975(n - 1) / std::sqrt(static_cast<double>(n));
    }
    for (std::size_t i = 0; i < made.mean.deviation.size(); ++i) {
        curve.deviation.push_back(made.mean.deviation[i] * factor[static_cast<std::size_t>(made.mean.n[i])]);
    }
    return curve;
}

}  // namespace dasgd::gui
