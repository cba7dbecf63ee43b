#include "gui/figures/model/figure_templates.h"

#include "core/base/check.h"
#include "gui/figures/model/figure_runs.h"

namespace dasgd::gui {

namespace {

constexpr FigureTemplate kTemplates[] = {
    {"overlap", "Overlap at a glance",
     "Timelines of several runs on one axis in ms from a common zero, above their loss over time"},
    {"loss-over-time", "Loss over time", "Training loss over training time, mean and spread over seeds"},
    {"accuracy-over-bytes", "Accuracy over bytes", "Test accuracy over the bytes that a rank has sent"},
    {"blocked-over-bandwidth", "Blocked time over bandwidth",
     "Share of the time in which workers wait for communication, over the bandwidth of the link; the rest is their "
     "utilisation"},
    {"throughput-over-workers", "Throughput over workers",
     "Throughput over the number of workers, with the line of an ideal speed-up"},
    {"time-to-target-over-delay", "Time to target over delay",
     "Time until the target is reached, over the delay of the average"},
    {"pareto", "Accuracy against time to it", "Best accuracy of each run against its time to the target"},
};
const QString kUsualTarget = QStringLiteral("accuracy=0.9");
constexpr double kUsualSmoothing = 0.9;
constexpr int kRanksAtAGlance = 1;

FigureSpec curvesOf(const char* metric, XAxis x) {
    FigureSpec spec;
    spec.metric = QLatin1String(metric);
    spec.x = x;
    if (spec.metric == QLatin1String(metrics::kTrainLoss)) spec.smoothing = kUsualSmoothing;
    return spec;
}

FigureSpec overOf(CompareNumber number, const char* setting) {
    FigureSpec spec;
    spec.kind = FigureKind::Over;
    spec.number = number;
    spec.over = QLatin1String(setting);
    return spec;
}

FigureSpec overlap() {
    FigureSpec timeline;
    timeline.kind = FigureKind::Timeline;
    timeline.eachRun = true;
    timeline.ranks = kRanksAtAGlance;
    FigureSpec spec;
    spec.kind = FigureKind::Panels;
    spec.panels = {timeline, curvesOf(metrics::kTrainLoss, XAxis::Training)};
    spec.across = 1;
    return spec;
}

FigureSpec withoutTitle(const QString& word) {
    if (word == QLatin1String("overlap")) return overlap();
    if (word == QLatin1String("loss-over-time")) return curvesOf(metrics::kTrainLoss, XAxis::Training);
    if (word == QLatin1String("accuracy-over-bytes")) return curvesOf(metrics::kEvalAccuracy, XAxis::BytesSent);
    if (word == QLatin1String("blocked-over-bandwidth")) return overOf(CompareNumber::Blocked, "bandwidth");
    FigureSpec spec;
    if (word == QLatin1String("throughput-over-workers")) {
        spec.kind = FigureKind::Scaling;
        return spec;
    }
    if (word == QLatin1String("time-to-target-over-delay")) {
        spec = overOf(CompareNumber::SecondsToTarget, "algorithm.delay");
    } else {
        spec.kind = FigureKind::Scatter;
        spec.number = CompareNumber::BestAccuracy;
        spec.against = CompareNumber::SecondsToTarget;
    }
    spec.target = kUsualTarget;
    return spec;
}

}  // namespace

std::span<const FigureTemplate> figureTemplates() { return kTemplates; }

QStringList templateWords() {
    QStringList words;
    for (const FigureTemplate& one : kTemplates) words << QLatin1String(one.word);
    return words;
}

FigureSpec figureOfTemplate(const QString& word) {
    const auto at = templateWords().indexOf(word);
    DASGD_CHECK(at >= 0);
    FigureSpec spec = withoutTitle(word);
    spec.title = QLatin1String(kTemplates[at].title);
    return spec;
}

void takeRunsOfAll(FigureSpec& spec, const QStringList& ids, const QString& filter, std::span<const RunItemPtr> all) {
    for (FigureSpec& panel : spec.panels) takeRuns(panel, ids, filter, all);
    if (spec.panels.empty()) takeRuns(spec, ids, filter, all);
}

}  // namespace dasgd::gui
