#include "gui/compare/compare_chart.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "gui/figures/model/figure_runs.h"
#include "gui/kit/curves/smoothing.h"

namespace dasgd::gui {

namespace {

// Names of the axes in the order of XAxis.
constexpr std::array<const char*, 6> kCompareAxes{
    "step", "epoch", "wall time [s]", "samples", "bytes sent per rank", "training time [s]"};
constexpr qsizetype kMostNamedCurves = 4;

QString fewNames(const QStringList& names) {
    const QString few = names.mid(0, kMostNamedCurves).join(QStringLiteral(", "));
    return names.size() <= kMostNamedCurves
               ? few
               : QObject::tr("%1 and %2 more").arg(few).arg(names.size() - kMostNamedCurves);
}

}  // namespace

CompareChart::CompareChart(const std::string& metric, XAxis axis, CompareBoard& board, const Look& look,
                           QWidget* parent)
    : Card(parent),
      board_(board),
      key_{metric, axis},
      metric_(new QToolButton),
      plot_(new PlotView(look)),
      isChosen_(axis != XAxis::Training) {
    axis_ =
        new Choice(tr("x axis; wall time counts start-up and evaluations, training time begins with the first step"),
                   {tr("step"), tr("epoch"), tr("wall time"), tr("samples"), tr("bytes sent"), tr("training time")},
                   static_cast<int>(axis));
    scale_ = new Choice(tr("y axis"), {tr("linear"), tr("log")}, 0);
    smoothing_ = new Choice(tr("Smoothing: weight of the moving average, of each run before the mean is taken"),
                            smoothingNames(), 0);
    layOut();
    setMetric(metric);
    connect(metric_->menu(), &QMenu::aboutToShow, this, &CompareChart::fillMetrics);
    connect(axis_, &Choice::changed, this, [this](int chosen) {
        isChosen_ = true;
        drawOver(static_cast<XAxis>(chosen));
    });
    connect(scale_, &Choice::changed, this, &CompareChart::updateAxes);
    connect(smoothing_, &Choice::changed, this, [this](int chosen) {
        key_.smoothing = smoothingAt(chosen);
        board_.curves.want(this, key_);
        updateAxes();
    });
    connect(&board_.curves, &CompareCurves::curvesChanged, this, &CompareChart::redraw);
    for (const auto signal : {&CompareChoice::shownChanged, &CompareChoice::highlightChanged})
        connect(&board_.choice, signal, this, &CompareChart::redraw);
    connect(&board_.choice, &CompareChoice::groupsChanged, this, &CompareChart::updateAxes);
    connect(&board_.curves, &CompareCurves::cursorChanged, this, [this] {
        plot_->showCursor(board_.curves.cursorKey().axis == key_.axis ? board_.curves.cursor() : std::nullopt);
    });
    connect(plot_, &PlotView::cursorMoved, this, [this](std::optional<double> x) { board_.curves.setCursor(x, key_); });
}

void CompareChart::drawOver(XAxis axis) {
    key_.axis = axis;
    board_.curves.want(this, key_);
    board_.curves.setCursor(std::nullopt, board_.curves.cursorKey());
    plot_->showAll();
    updateAxes();
}

// Takes the time axis common to all charts of the page, unless the user has chosen an axis. True if the axis changed.
bool CompareChart::fallsBack() {
    if (isChosen_) return false;
    const XAxis axis = board_.curves.usualTime();
    if (axis == key_.axis) return false;
    {
        const QSignalBlocker quiet(axis_);
        axis_->choose(static_cast<int>(axis));
    }
    drawOver(axis);
    return true;
}

void CompareChart::layOut() {
    metric_->setObjectName(QStringLiteral("metric"));
    metric_->setPopupMode(QToolButton::InstantPopup);
    metric_->setFocusPolicy(Qt::TabFocus);
    metric_->setMenu(new QMenu(metric_));
    auto* head = padded(spaced(new QHBoxLayout, 2), {0, 0, -6, 0});
    head->addWidget(metric_);
    head->addStretch();
    for (Choice* choice : {axis_, scale_, smoothing_}) head->addWidget(choice);
    note_ = new WrappedLabel("small");
    body().setContentsMargins(kPadding, 10, kPadding, 8);
    body().setSpacing(4);
    body().addLayout(head);
    body().addWidget(plot_, 1);
    body().addWidget(note_);
    plot_->setMinimumSize(260, 180);
    setFocusProxy(plot_);
}

void CompareChart::setMetric(const std::string& metric) {
    key_.metric = metric;
    words_ = wordsOf(metric);
    metric_->setText(words_.title + QStringLiteral(" ▾"));
    metric_->setToolTip(tr("Metric that is drawn"));
    metric_->setAccessibleName(tr("Metric: %1").arg(words_.title));
    plot_->setAccessibleName(words_.title);
    scale_->choose(words_.logY ? 1 : 0);
    smoothing_->choose(words_.smooth ? kUsualSmoothing : 0);
    key_.smoothing = smoothingAt(smoothing_->chosen());
    board_.curves.want(this, key_);
    updateAxes();
}

FigureSpec CompareChart::figure() const {
    FigureSpec spec;
    takeRuns(spec, board_.choice, board_.choice.shown());
    spec.members = board_.curves.members();
    if (seeds_) spec.lines = FigureLines::MeanAndSeeds;
    spec.metric = QString::fromStdString(key_.metric);
    spec.x = static_cast<XAxis>(axis_->chosen());
    spec.logY = scale_->chosen() == 1;
    spec.smoothing = key_.smoothing;
    spec.band = board_.curves.spread();
    if (plot_->shown().zoomed) {
        spec.xRange = FigureRange{plot_->shown().x.first, plot_->shown().x.second};
        spec.yRange = FigureRange{plot_->shown().y.first, plot_->shown().y.second};
    }
    spec.title = tr("%1, %2").arg(words_.title, board_.choice.title());
    return spec;
}

void CompareChart::setSeeds(bool behind) {
    seeds_ = behind;
    redraw();
}

void CompareChart::fillMetrics() {
    QMenu& menu = *metric_->menu();
    menu.clear();
    const Compared* compared = board_.results.compared();
    for (const std::string& name : offered(compared ? compared->metrics : std::vector<std::string>())) {
        QAction* action = menu.addAction(wordsOf(name).title);
        action->setCheckable(true);
        action->setChecked(name == key_.metric);
        connect(action, &QAction::triggered, this, [this, name] { setMetric(name); });
    }
}

void CompareChart::updateAxes() {
    bool simulated = false, measured = false;
    for (const CompareGroup& group : board_.choice.groups()) (group.simulated() ? simulated : measured) = true;
    const QString origin = simulated && measured ? tr(", of hollow markers simulated")
                           : simulated           ? tr(", time simulated")
                                                 : QString();
    const bool time = isTime();
    const bool rate = words_.axis.contains(QStringLiteral("/s")) || words_.axis.contains(QStringLiteral("ms"));
    plot_->setAxes(
        {.x = QString::fromLatin1(kCompareAxes[static_cast<std::size_t>(key_.axis)]) + (time ? origin : QString()),
         .y = words_.axis + (rate && !time ? origin : QString()) + smoothingInWords(key_.smoothing),
         .logY = scale_->chosen() == 1,
         .fromZero = words_.fromZero,
         .share = words_.share,
         .wholeX = key_.axis == XAxis::Step || key_.axis == XAxis::Samples,
         .legend = false});
    redraw();
}

void CompareChart::redraw() {
    if (fallsBack()) return;
    std::vector<Curve> curves;
    QStringList notes, apart, absent;
    int windowed = 0;
    bool single = false, isRead = true, measured = false;
    for (const std::size_t group : board_.choice.shown()) {
        const GroupCurve* made = board_.curves.curve(key_, group);
        isRead = isRead && made;
        if (!made) continue;
        if (made->mean.mean.x.empty()) {
            (made->mean.nothingShared() ? apart : absent) << board_.choice.groups()[group].name;
            continue;
        }
        Curve curve = curveOf(board_.choice.groups()[group], *made, board_.curves.spread(), seeds_);
        curve.primary = board_.choice.highlighted() == group;
        curve.faded = board_.choice.highlighted() && !curve.primary;
        windowed += made->mean.window > 0 ? 1 : 0;
        single = single || made->mean.most() == 1;
        measured = measured || !board_.choice.groups()[group].simulated();
        if (!curve.note.isEmpty()) notes << curve.name + QStringLiteral(": ") + curve.note;
        curves.push_back(std::move(curve));
    }
    QStringList words;
    // If no curve is drawn at all, the empty text of the plot says this instead.
    if (!apart.isEmpty() && !curves.empty())
        words << tr("not drawn: %1, whose %2").arg(fewNames(apart), nothingSharedInWords(key_.axis));
    const bool isTrainingTime = key_.axis == XAxis::Training;
    if (!absent.isEmpty() && !curves.empty())
        words << tr("not drawn: %1, without such a record%2")
                     .arg(fewNames(absent), isTrainingTime ? QStringLiteral(": ") + kNoTrainingClock : QString());
    if (board_.curves.spread() != Spread::None && !curves.empty())
        words << (std::ranges::any_of(curves, &Curve::hasBars) ? tr("band, of one point a whisker: %1")
                                                               : tr("band: %1"))
                     .arg(spreadOverSeeds(board_.curves.spread()));
    if (curves.size() > kMostFine) words << tr("of so many, the band of the highlighted one alone");
    if (single) words << tr("n = 1 has no band");
    if (windowed > 0)
        words << tr("%1 averaged in windows of x that hold every seed")
                     .arg(windowed == static_cast<int>(curves.size()) ? tr("all") : QString::number(windowed));
    if (isTime() && measured)
        words << (key_.axis == XAxis::Training ? kTrainingClock : isChosen_ ? kWallClock : kFallbackClock);
    if (const QString zero = bandsAtZeroInWords(curves, plot_->axes()); !zero.isEmpty()) words << zero;
    if (!notes.isEmpty())
        words << (notes.size() == 1 ? notes.front() : tr("%1 curves are cut: see the tip").arg(notes.size()));
    if (!isRead) words << tr("reading …");
    plot_->setEmptyText(
        isNothingShown(board_.choice) ? kNothingShown
        : !isRead                     ? tr("Reading …")
        : !apart.isEmpty()            ? tr("No mean of %1:\n%2.").arg(fewNames(apart), nothingSharedInWords(key_.axis))
        : isTrainingTime
            ? tr("No %1 over training time in these runs:\n%2.\nWall time is known of all.")
                  .arg(words_.title.toLower(), kNoTrainingClock)
            : tr("No %1 recorded in these runs.\nThe title above lists what is.").arg(words_.title.toLower()));
    note_->say(words.join(QStringLiteral("  ·  ")));
    for (const QString& name : apart) notes << tr("%1: not drawn, %2").arg(name, nothingSharedInWords(key_.axis));
    for (const QString& name : absent) notes << tr("%1: not drawn, no such record").arg(name);
    note_->setToolTip(notes.isEmpty() ? QString() : asTip(notes.join(QLatin1Char('\n'))));
    plot_->setCurves(std::move(curves));
    plot_->setAccessibleDescription(note_->text());
}

}  // namespace dasgd::gui
