#include "gui/run/chart/chart_card.h"

#include <QElapsedTimer>
#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "core/base/metric_names.h"
#include "gui/compare/model/compare_numbers.h"
#include "gui/kit/curves/smoothing.h"
#include "gui/kit/parts/folding_row.h"
#include "gui/kit/words/settings_file.h"

namespace dasgd::gui {

namespace {

constexpr int kRedrawMs = 80, kLatestMs = 1000;
constexpr double kShareOfCore = 0.004;
constexpr int kBandPauseMs = 250;       // least time between two updates of the timeline's window
constexpr int kCursorPauseMs = 30;      // least time between two updates of another view's cursor
constexpr std::size_t kMostInPlot = 8;  // most curves named in a legend in the plot; more have a list beside it
constexpr int kLeastArea = 180;
// Names of the axes in the order of XAxis.
constexpr std::array<const char*, 6> kAxisLabels{
    "step", "epoch", "wall time [s]", "samples", "bytes sent per rank", "training time [s]"};

bool isTime(XAxis axis) { return axis == XAxis::Wall || axis == XAxis::Training; }

}  // namespace

ChartCard::ChartCard(const ChartSpec& spec, Session& session, const Look& look, QWidget* parent)
    : Card(parent),
      spec_(spec),
      session_(session),
      rankQuery_(session.feed().query<RankSeriesQuery>()),
      spans_(new ChartSpans(session, this)),
      plot_(new PlotView(look, kLeastArea)),
      picker_(new MetricPicker(session.feed().query<MetricNamesQuery>(), spec.metric)),
      siblings_(session.feed().query<SiblingsQuery>()),
      seedWords_(new ElidedLabel),
      legend_(new CurveLegend(look)),
      bandPace_(kBandPauseMs, [this] { updateBand(); }),
      cursorPace_(kCursorPauseMs, [this] { updateCursor(); }) {
    axis_ =
        new Choice(tr("x axis; wall time counts start-up and evaluations, training time begins with the first step"),
                   {tr("step"), tr("epoch"), tr("wall time"), tr("samples"), tr("bytes sent"), tr("training time")}, 0);
    scale_ = new Choice(tr("y axis"), {tr("linear"), tr("log")}, 0);
    smoothing_ =
        new Choice(tr("Smoothing: weight of the moving average; the raw curve stays behind it"), smoothingNames(), 0);
    seeds_ =
        new Choice(tr("Mean over the seeds of this run, behind it"), {tr("no mean"), tr("± std"), tr("± 95 %")}, 0);
    layOut();
    recall();
    takeMetric();
    connectAll();
}

ChartCard::~ChartCard() {
    if (!ofRanks_.empty()) rankQuery_.release(ofRanks_);
    siblings_.want(this, std::nullopt);
}

double ChartCard::smoothingWeight() const { return smoothingAt(smoothing_->chosen()); }

void ChartCard::layOut() {
    auto* choices = new QWidget;
    auto* inRow = padded(spaced(new QHBoxLayout(choices), 2), {0, 0, 0, 0});
    for (Choice* choice : {axis_, scale_, smoothing_, seeds_}) inRow->addWidget(choice);
    seeds_->hide();
    seedWords_->hide();
    auto* head = new QHBoxLayout;
    head->addWidget(new FoldingRow(picker_, choices));
    head->setContentsMargins(0, 0, -6, 0);
    auto* middle = spaced(new QHBoxLayout, 6);
    middle->addWidget(plot_, 1);
    middle->addWidget(legend_);
    legend_->hide();
    body().setContentsMargins(kPadding, 10, kPadding, 8);
    body().addLayout(head);
    body().addLayout(middle, 1);
    body().addWidget(seedWords_);
    plot_->setMinimumWidth(260);
    setFocusProxy(plot_);
}

void ChartCard::connectAll() {
    for (Choice* choice : {axis_, scale_, smoothing_, seeds_}) {
        connect(choice, &Choice::changed, this, [this] {
            updateAxes();
            remember();
        });
    }
    connect(picker_, &MetricPicker::changed, this, [this] {
        scale_->choose(wordsOf(picker_->metric()).logY ? 1 : 0);
        smoothing_->choose(wordsOf(picker_->metric()).smooth ? kUsualSmoothing : 0);
        takeMetric();
        remember();
    });
    pending_.setSingleShot(true);
    connect(&pending_, &QTimer::timeout, this, &ChartCard::refresh);
    connect(legend_, &CurveLegend::changed, this, &ChartCard::refresh);
    connect(&rankQuery_, &RankSeriesQuery::arrived, this, &ChartCard::takeRanks);
    connect(spans_, &ChartSpans::changed, this, &ChartCard::later);
    connect(&session_, &Session::seriesChanged, this, &ChartCard::later);
    connect(&session_, &Session::shownChanged, this, [this] {
        made_.clear();
        // A new run is drawn at once, before the emptied plot becomes visible.
        if (anew_ && isVisible()) return refresh();
        later();
    });
    connect(&session_, &Session::detailChanged, this, &ChartCard::later);
    connect(&session_, &Session::currentChanged, this, [this] {
        ranks_.clear();
        familyStale_ = true;
        legend_->begin(session_.currentId());
        plot_->showAll();
        // Curves of the previous run must not stand under the name of this one.
        anew_ = true;
        pending_.stop();
        if (isVisible()) plot_->setCurves({});
        later();
    });
    connect(&session_, &Session::runsChanged, this, [this] {
        familyStale_ = true;
        later();
    });
    connect(&siblings_, &CompareQuery::curveArrived, this, [this] {
        if (seeds_->chosen() > 0) later();
    });
    connect(&session_.selection(), &TimeSelection::windowChanged, this, [this] {
        if (session_.selection().following()) return bandPace_.request();
        updateBand();
    });
    connect(&session_.selection(), &TimeSelection::cursorMoved, this, [this] {
        if (telling_) return;
        pointedHere_ = false;
        cursorPace_.request();
    });
    connect(plot_, &PlotView::cursorMoved, this, &ChartCard::tellCursor);
    connect(plot_, &PlotView::clickedAt, this, &ChartCard::goTo);
}

void ChartCard::later() {
    if (!isVisible()) {
        stale_ = true;
        return;
    }
    // The pause is such that a live chart costs 0.4 % of a core, but is at most a second behind.
    const double pause = anew_ ? kRedrawMs : (formMs_ + plot_->drawMs()) / kShareOfCore;
    if (!pending_.isActive()) pending_.start(static_cast<int>(std::clamp<double>(pause, kRedrawMs, kLatestMs)));
}

void ChartCard::showEvent(QShowEvent* event) {
    Card::showEvent(event);
    if (std::exchange(stale_, false) || spans_->name() != wantedOfSpans()) return refresh();
    updateBand();
    updateCursor();
}

// Spans are read only for a visible chart.
void ChartCard::hideEvent(QHideEvent* event) {
    Card::hideEvent(event);
    if (!spans_->name().empty()) stale_ = true;
    spans_->want({});
}

void ChartCard::takeMetric() {
    if (!drawsSpans()) session_.wantMetric(picker_->metric());
    words_ = wordsOf(picker_->metric());
    made_.clear();
    madeOfRanks_ = {};
    const std::string ofRanks = picker_->byRank() && !drawsSpans() ? picker_->metric() : std::string();
    if (ofRanks != ofRanks_) {
        if (!ofRanks_.empty()) rankQuery_.release(ofRanks_);
        ofRanks_ = ofRanks;
        ranks_.clear();
        if (!ofRanks_.empty()) rankQuery_.want(ofRanks_);
    }
    plot_->setAccessibleName(words_.title);
    updateAxes();
}

void ChartCard::takeRanks(const RankBatch& batch) {
    if (batch.name != ofRanks_ || batch.runId != session_.currentId()) return;
    if (batch.first) ranks_.clear();
    std::map<int, std::vector<storage::MetricSample>> byRank;
    for (const storage::MetricSample& sample : batch.samples) byRank[sample.rank].push_back(sample);
    for (const auto& [rank, samples] : byRank) ranks_.try_emplace(rank, alongOf(batch.name)).first->second.add(samples);
    later();
}

// The metric to compute from spans; "" for none. Throughput of a live run comes from spans until its first timed window
// has ended.
std::string ChartCard::wantedOfSpans() const {
    if (drawsSpans()) return picker_->metric();
    const RunItemPtr run = session_.current();
    const bool untimed = picker_->metric() == metrics::kSamplesPerS && run && run->keepsSpans && isLive(run->row) &&
                         session_.series(run->id, metrics::kSamplesPerS).empty();
    return untimed ? kSpansThroughput : "";
}

const Series& ChartCard::seriesOf(const RunItem& run) const {
    const bool ofSpans = !spans_->name().empty() && run.id == session_.currentId();
    return ofSpans ? spans_->whole() : session_.series(run.id, picker_->metric());
}

const std::vector<SeriesPoint>& ChartCard::pointsOfCurrent() const {
    static const std::vector<SeriesPoint> kNone;
    const RunItemPtr run = session_.current();
    return run ? seriesOf(*run).points() : kNone;
}

QString ChartCard::emptyText() const {
    const RunItemPtr run = session_.current();
    // The page itself tells the user what to do.
    if (!run) return tr("No run to draw.");
    if (anew_ && !session_.detail()) return tr("Reading …");
    if (xAxis() == XAxis::Training && !pointsOfCurrent().empty() && !clockOfCurrent()) {
        return tr("No %1 over training time:\n%2.\nWall time is known of all.")
            .arg(words_.title.toLower(), kNoTrainingClock);
    }
    if (drawsSpans() && !run->keepsSpans) return tr("This run keeps no spans. Run it with [record] trace = \"full\".");
    const bool ended = !isLive(run->row);
    if (drawsSpans())
        return ended ? tr("Nothing of it in the spans of this run.")
                     : tr("Nothing of it in the spans of this run yet.");
    return (ended ? tr("This run recorded no %1.\nThe title above lists what it did.")
                  : tr("No %1 recorded yet.\nThe title above lists what is."))
        .arg(words_.title.toLower());
}

// Remark on the axes if times of shown runs are simulated; "" if all were measured.
QString ChartCard::timeNote() const {
    const bool times = isTime(xAxis()) || words_.axis.contains(QStringLiteral("/s"));
    const bool simulated = times && std::any_of(session_.shown().begin(), session_.shown().end(),
                                                [](const RunItemPtr& run) { return run->row.timeSimulated; });
    return simulated ? tr(", time simulated") : QString();
}

void ChartCard::updateAxes() {
    const QString note = timeNote_ = timeNote();
    plot_->setAxes({.x = QString::fromLatin1(kAxisLabels[static_cast<std::size_t>(axis_->chosen())]) +
                         (isTime(xAxis()) ? note : QString()),
                    .y = words_.axis + (isTime(xAxis()) ? QString() : note),
                    .logY = scale_->chosen() == 1,
                    .fromZero = words_.fromZero,
                    .share = words_.share,
                    .wholeX = xAxis() == XAxis::Step || xAxis() == XAxis::Samples,
                    .legend = legend_->isHidden()});
    refresh();
}

// The curve of a run, cached so that curves of other runs are not made again while one run grows.
const Curve& ChartCard::curveOfRun(const RunItem& run, const Series& series, const CurveShape& shape) {
    Made& made = made_[run.id];
    const std::size_t samples = series.samples() + samplesOfClock(run);
    if (made.shape != shape || made.samples != samples) made = {shape, samples, curveOnAxis(run, series, shape)};
    return made.curve;
}

std::vector<Curve> ChartCard::runCurves() {
    const CurveShape shape{.axis = xAxis(), .scale = words_.scale, .smoothing = smoothingAt(smoothing_->chosen())};
    std::vector<Curve> curves;
    if (!ofRanks_.empty() || (drawsSpans() && picker_->byRank())) {
        curves = curvesOfRanks(shape);
        for (Curve& curve : curves) curve.key = session_.currentId() + QLatin1Char('/') + curve.name;
        return curves;
    }
    const auto& runs = session_.shown();
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const Series& series = seriesOf(*runs[i]);
        // Runs without a record, such as a throughput recorded once an epoch, must not hide the others.
        if (series.empty()) continue;
        const bool ofSpans = !spans_->name().empty() && runs[i]->id == session_.currentId();
        curves.push_back(ofSpans ? curveOnAxis(*runs[i], series, shape) : curveOfRun(*runs[i], series, shape));
        if (curves.back().line.x.empty()) {
            curves.pop_back();
            continue;
        }
        curves.back().key = runs[i]->id;
        curves.back().name = session_.shownNames()[static_cast<qsizetype>(i)];
        if (ofSpans) curves.back().name += tr(", from spans");
        curves.back().style = session_.styleOf(*runs[i]);
        curves.back().primary = i == 0;
    }
    return curves;
}

QStringList ChartCard::drawnRuns() const {
    const auto& runs = session_.shown();
    QStringList ids;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (legend_->isHidden() || !legend_->hides(runs[i]->id)) ids << runs[i]->id;
    }
    return ids;
}

void ChartCard::refresh() {
    QElapsedTimer timer;
    timer.start();
    // The labels of the axes may be those of other runs.
    if (timeNote() != timeNote_) return updateAxes();
    wantSiblings();
    if (xAxis() == XAxis::Training) session_.wantMetric(metrics::kTrainedSeconds);
    spans_->want(isVisible() ? wantedOfSpans() : std::string());
    plot_->setEmptyText(emptyText());
    std::vector<Curve> curves = runCurves();
    const bool listed = curves.size() > kMostInPlot;
    if (listed == legend_->isHidden()) {
        legend_->setVisible(listed);
        return updateAxes();
    }
    if (listed) curves = legend_->apply(std::move(curves));
    if (drawsMean()) addMean(curves);
    const RunItemPtr run = session_.current();
    const bool throughput = picker_->metric() == metrics::kSamplesPerS || picker_->metric() == kSpansThroughput;
    if (!picker_->byRank() && throughput && run && run->row.samplesPerS) {
        // The guide is the throughput of the key figure, the table and the Scaling page; each point of the curve is of
        // a few steps only.
        curves.push_back(guideAt(*run->row.samplesPerS, curves, tr("whole run")));
    }
    // Band and cursor are set before the curves, since otherwise the plot would be painted twice.
    updateBand();
    updateCursor();
    anew_ = anew_ && curves.empty();
    plot_->setCurves(std::move(curves));
    formMs_ = static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

void ChartCard::remember() {
    keepSettings([this](QSettings& file) {
        file.beginGroup(QStringLiteral("charts/") + spec_.name);
        file.setValue(QStringLiteral("metric"), QString::fromStdString(picker_->metric()));
        file.setValue(QStringLiteral("by-rank"), picker_->byRank());
        file.setValue(QStringLiteral("x"), axis_->chosen());
        file.setValue(QStringLiteral("y"), scale_->chosen());
        file.setValue(QStringLiteral("smoothing"), smoothing_->chosen());
        file.setValue(QStringLiteral("seeds"), seeds_->chosen());
    });
}

void ChartCard::recall() {
    QSettings file = settingsFile();
    file.beginGroup(QStringLiteral("charts/") + spec_.name);
    const std::string metric =
        file.value(QStringLiteral("metric"), QString::fromStdString(spec_.metric)).toString().toStdString();
    const MetricWords words = wordsOf(metric);
    picker_->choose(metric, words.byRank && file.value(QStringLiteral("by-rank")).toBool());
    axis_->choose(file.value(QStringLiteral("x"), 0).toInt());
    scale_->choose(file.value(QStringLiteral("y"), words.logY ? 1 : 0).toInt());
    seeds_->choose(file.value(QStringLiteral("seeds"), 0).toInt());
    smoothing_->choose(file.value(QStringLiteral("smoothing"), words.smooth ? kUsualSmoothing : 0).toInt());
}

}  // namespace dasgd::gui
