#include "gui/compare/compare_cards.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/figures/model/figure_runs.h"
#include "gui/kit/parts/parts.h"

namespace dasgd::gui {

namespace {

QStringList numberTitles() {
    QStringList titles;
    for (const NumberWords& number : compareNumbers()) titles << number.text();
    return titles;
}

int placeOf(CompareNumber number) {
    const auto& all = compareNumbers();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].number == number) return static_cast<int>(i);
    }
    return 0;
}

CompareNumber numberAt(const Choice& choice) {
    return compareNumbers()[static_cast<std::size_t>(choice.chosen())].number;
}

// Words on what a time to a target includes; "" without such a number, and if all time is simulated, since evaluations
// take none there.
QString clockInWords(const CompareView& view, const std::vector<CompareNumber>& numbers) {
    const bool measured =
        std::ranges::any_of(view.shown, [&](std::size_t group) { return !view.groups()[group].simulated(); });
    const bool toTarget = std::ranges::count(numbers, CompareNumber::SecondsToTarget) > 0;
    return measured && toTarget ? kTargetClock : QString();
}

QToolButton* makeFieldButton(const QString& help) {
    QToolButton* button = makeMenuButton({}, help);
    button->setAccessibleName(help);
    return button;
}

// Figure of these groups with the settings common to all cards.
FigureSpec figureOf(const CompareBoard& board, FigureKind kind, const std::vector<std::size_t>& groups) {
    FigureSpec spec;
    spec.kind = kind;
    takeRuns(spec, board.choice, groups);
    if (kind != FigureKind::Scatter) spec.baseline = baselineOf(board.choice);
    if (const auto& target = board.results.target()) {
        spec.target = QLatin1String(target->metric == Target::Metric::Loss ? "loss=" : "accuracy=") +
                      QString::number(target->value, 'g', 9);
    }
    spec.band = board.curves.spread();
    return spec;
}

}  // namespace

CompareBars::CompareBars(CompareBoard& board, const Look& look, QWidget* parent)
    : Card(parent), board_(board), view_(new BarView(look)) {
    number_ = new Choice(tr("Number that the bars show"), numberTitles(), placeOf(CompareNumber::StepMs));
    target_ = new QLineEdit;
    target_->setProperty("field", true);
    target_->setPlaceholderText(tr("accuracy=0.97"));
    target_->setToolTip(tr("Target of the time to target: accuracy=0.97 or loss=0.1"));
    target_->setAccessibleName(tr("Target"));
    target_->setFixedWidth(120);
    auto* head = padded(new QHBoxLayout, {0, 0, -6, 0});
    head->addWidget(makeLabel(tr("Bars"), "head"));
    head->addStretch();
    head->addWidget(number_);
    head->addWidget(target_);
    error_ = makeLabel({}, "bad");
    error_->setWordWrap(true);
    error_->hide();
    body().setContentsMargins(kPadding, 10, kPadding, 8);
    body().setSpacing(6);
    body().addLayout(head);
    body().addWidget(error_);
    // Bars keep their height; if they do not fit, the card scrolls.
    auto* scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    makeClear(*scroll);
    scroll->setWidget(view_);
    body().addWidget(scroll, 1);
    body().addWidget(clock_ = new WrappedLabel("small"));
    view_->setAccessibleName(tr("Bars"));
    setFocusProxy(view_);
    connect(number_, &Choice::changed, this, &CompareBars::redraw);
    connect(target_, &QLineEdit::editingFinished, this, &CompareBars::takeTarget);
    connect(view_, &BarView::chosen, this, [this](std::size_t bar) { board_.choice.highlight(groups_[bar]); });
    connect(view_, &BarView::opened, this, [this](std::size_t bar) {
        emit opened(runsBehind(board_.results.view(), groups_[bar], numberAt(*number_)));
    });
    connect(&board_.results, &CompareResults::comparedChanged, this, &CompareBars::redraw);
    for (const auto signal : {&CompareChoice::shownChanged, &CompareChoice::highlightChanged})
        connect(&board_.choice, signal, this, &CompareBars::redraw);
}

void CompareBars::takeTarget() {
    error_->hide();
    if (target_->text().trimmed().isEmpty()) return board_.results.setTarget(std::nullopt);
    const auto target = parseTarget(target_->text().trimmed().toStdString());
    if (!target) {
        error_->setText(QString::fromStdString(target.error().message));
        error_->show();
        return;
    }
    board_.results.setTarget(*target);
    number_->choose(placeOf(CompareNumber::SecondsToTarget));
}

Result<FigureSpec> CompareBars::figure() const {
    FigureSpec spec = figureOf(board_, FigureKind::Bars, board_.choice.shown());
    spec.number = numberAt(*number_);
    spec.title = tr("%1, %2").arg(QString::fromUtf8(wordsOf(spec.number).title), board_.choice.title());
    DASGD_TRY(check(spec));
    return spec;
}

void CompareBars::redraw() {
    GroupBars bars = groupBars(board_.results.view(), numberAt(*number_));
    groups_ = std::move(bars.groups);
    QStringList notes{ratiosInWords(board_.results.view(), numberAt(*number_)),
                      clockInWords(board_.results.view(), {numberAt(*number_)})};
    notes.removeAll(QString());
    clock_->say(notes.join(QStringLiteral("  ·  ")));
    clock_->setVisible(!clock_->text().isEmpty());
    view_->setEmptyText(kNothingShown);
    view_->setChart(std::move(bars.chart));
}

CompareMap::CompareMap(CompareBoard& board, const Look& look, QWidget* parent)
    : Card(parent),
      board_(board),
      heat_(new HeatMapView(look)),
      scatter_(new PlotView(look)),
      parallel_(new ParallelView(look)) {
    body().setContentsMargins(kPadding, 10, kPadding, 8);
    body().setSpacing(4);
    body().addLayout(makeHead());
    // The layout needs a parent first: it shows its first widget at once, which otherwise would open as a window.
    body().addLayout(stack_ = new QStackedLayout, 1);
    for (QWidget* view : std::initializer_list<QWidget*>{heat_, scatter_, parallel_}) {
        view->setMinimumHeight(180);
        stack_->addWidget(view);
    }
    body().addWidget(note_ = new WrappedLabel("small"));
    heat_->setAccessibleName(tr("Heat map"));
    scatter_->setAccessibleName(tr("Scatter: one point a run"));
    parallel_->setAccessibleName(tr("Parallel coordinates: Up and Down brush an axis"));
    connect(kind_, &Choice::changed, this, [this](int kind) {
        // A brush must not filter while its axes are hidden.
        if (kind != Parallel) parallel_->clearBrushes();
        redraw();
        // "Make figure" takes the card with the focus, which must be the one just changed.
        stack_->currentWidget()->setFocus(Qt::OtherFocusReason);
    });
    connect(number_, &Choice::changed, this, &CompareMap::redraw);
    connect(against_, &Choice::changed, this, &CompareMap::redraw);
    connect(&board_.choice, &CompareChoice::groupsChanged, this, &CompareMap::chooseKeys);
    connect(&board_.results, &CompareResults::comparedChanged, this, &CompareMap::redraw);
    for (const auto signal : {&CompareChoice::shownChanged, &CompareChoice::highlightChanged})
        connect(&board_.choice, signal, this, &CompareMap::redraw);
    connect(heat_, &HeatMapView::chosen, this, [this](std::size_t cell) {
        if (!map_.groups[cell].empty()) board_.choice.highlight(map_.groups[cell].front());
    });
    connect(heat_, &HeatMapView::opened, this, [this](std::size_t cell) {
        QStringList runs;
        for (const std::size_t group : map_.groups[cell])
            runs += runsBehind(board_.results.view(), group, numberAt(*number_));
        emit opened(runs);
    });
    scatter_->setPointWords([this](PointPlace place) {
        const RunItem& run = *points_.runs[place.curve][place.point];
        return points_.curves[place.curve].name + tr(", seed %1\n%2").arg(run.row.seed).arg(run.id);
    });
    connect(scatter_, &PlotView::pointOpened, this,
            [this](PointPlace place) { emit opened({points_.runs[place.curve][place.point]->id}); });
    connect(parallel_, &ParallelView::brushed, this, &CompareMap::takeBrush);
    redraw();
}

QLayout* CompareMap::makeHead() {
    kind_ = new Choice(tr("Kind of map"), {tr("Heat map"), tr("Scatter"), tr("Parallel coordinates")}, Heat);
    kind_->setObjectName(QStringLiteral("metric"));
    number_ = new Choice(tr("The number"), numberTitles(), placeOf(CompareNumber::StepMs));
    against_ = new Choice(tr("The number along x"), numberTitles(), placeOf(CompareNumber::Hidden));
    rowButton_ = makeFieldButton(tr("The setting of the rows"));
    columnButton_ = makeFieldButton(tr("The setting of the columns"));
    connect(rowButton_->menu(), &QMenu::aboutToShow, this, [this] { fillKeys(*rowButton_, rowKey_); });
    connect(columnButton_->menu(), &QMenu::aboutToShow, this, [this] { fillKeys(*columnButton_, columnKey_); });
    auto* head = padded(spaced(new QHBoxLayout, 2), {0, 0, -6, 0});
    head->addWidget(kind_);
    head->addStretch();
    for (QWidget* each : std::initializer_list<QWidget*>{number_, against_, rowButton_, columnButton_}) {
        head->addWidget(each);
    }
    return head;
}

void CompareMap::fillKeys(QToolButton& button, std::string& key) {
    button.menu()->clear();
    for (const std::string& one : sweptKeys(board_.choice.groups())) {
        QAction* action = button.menu()->addAction(keyName(board_.results.view(), one));
        action->setCheckable(true);
        action->setChecked(one == key);
        connect(action, &QAction::triggered, this, [this, &key, one] {
            key = one;
            redraw();
        });
    }
}

void CompareMap::chooseKeys() {
    const std::vector<std::string> keys = sweptKeys(board_.choice.groups());
    const auto stands = [&](const std::string& key) { return std::count(keys.begin(), keys.end(), key) > 0; };
    if (!stands(rowKey_) || !stands(columnKey_)) {
        const MapKeys chosen = mapKeys(board_.choice.groups());
        rowKey_ = chosen.rows;
        columnKey_ = chosen.columns;
    }
    redraw();
}

Result<FigureSpec> CompareMap::figure() const {
    if (kind_->chosen() == Parallel)
        return fail("parallel coordinates are shown on this page only; choose the heat map or the scatter plot");
    const bool heat = kind_->chosen() == Heat;
    FigureSpec spec = figureOf(board_, heat ? FigureKind::Map : FigureKind::Scatter, board_.choice.shown());
    spec.number = numberAt(*number_);
    if (heat) {
        if (rowKey_.empty() || columnKey_.empty()) return fail("a heat map needs runs that differ in two settings");
        spec.rows = QString::fromStdString(rowKey_);
        spec.columns = QString::fromStdString(columnKey_);
    } else {
        spec.against = numberAt(*against_);
        if (scatter_->shown().zoomed) {
            spec.xRange = FigureRange{scatter_->shown().x.first, scatter_->shown().x.second};
            spec.yRange = FigureRange{scatter_->shown().y.first, scatter_->shown().y.second};
        }
    }
    spec.title = tr("%1, %2").arg(QString::fromUtf8(wordsOf(spec.number).title), board_.choice.title());
    DASGD_TRY(check(spec));
    return spec;
}

void CompareMap::takeBrush() {
    const ParallelPlot& plot = parallel_->plot();
    const bool any = std::any_of(plot.brushes.begin(), plot.brushes.end(),
                                 [](const ParallelBrush& brush) { return brush.has_value(); });
    if (!any) return board_.choice.setBrushed(std::nullopt);
    std::set<std::string> keys;
    for (std::size_t i = 0; i < plot.lines.size() && i < lines_.size(); ++i) {
        if (plot.passes(plot.lines[i])) keys.insert(board_.choice.groups()[lines_[i]].key);
    }
    // A hidden configuration has no line, but stays in the legend, where it can be shown again.
    for (std::size_t i = 0; i < board_.choice.groups().size(); ++i) {
        if (board_.choice.isHidden(i)) keys.insert(board_.choice.groups()[i].key);
    }
    board_.choice.setBrushed(keys);
}

void CompareMap::redraw() {
    const int kind = kind_->chosen();
    stack_->setCurrentIndex(kind);
    setFocusProxy(stack_->currentWidget());
    number_->setVisible(kind != Parallel);
    against_->setVisible(kind == Scatter);
    rowButton_->setVisible(kind == Heat);
    columnButton_->setVisible(kind == Heat);
    if (kind == Heat) return drawHeat();
    if (kind == Scatter) return drawScatter();
    drawParallel();
}

void CompareMap::drawHeat() {
    rowButton_->setText((rowKey_.empty() ? tr("rows") : keyName(board_.results.view(), rowKey_)) +
                        QStringLiteral(" ▾"));
    columnButton_->setText((columnKey_.empty() ? tr("columns") : keyName(board_.results.view(), columnKey_)) +
                           QStringLiteral(" ▾"));
    map_ = rowKey_.empty() || columnKey_.empty()
               ? GroupMap{}
               : groupMap(board_.results.view(), numberAt(*number_), rowKey_, columnKey_);
    heat_->setEmptyText(rowKey_.empty() ? tr("A map needs runs that differ in two settings. Sweep two, as\n"
                                             "\"algorithm.period\" = [2, 4, 8] and \"algorithm.delay\" = [1, 2, 3]")
                        : isNothingShown(board_.choice) ? kNothingShown
                                                        : tr("Nothing that is shown has both settings."));
    QStringList notes = map_.map.cells.empty() ? QStringList() : mapNotes(board_.results.view(), map_);
    if (const QString clock = clockInWords(board_.results.view(), {numberAt(*number_)});
        !notes.isEmpty() && !clock.isEmpty())
        notes << clock;
    note_->say(notes.join(QStringLiteral("  ·  ")));
    heat_->setMap(map_.map);
}

void CompareMap::drawScatter() {
    const CompareView view = board_.results.view();
    points_ = runPoints(view, numberAt(*against_), numberAt(*number_));
    // The vertical axis has room only for the number and its unit; the note has the rest.
    const QString along = numberTitle(view, numberAt(*number_)), y = along.section(QStringLiteral(", "), 0, 0);
    scatter_->setAxes({.x = numberTitle(view, numberAt(*against_)), .y = y, .legend = false});
    scatter_->setEmptyText(isNothingShown(board_.choice) ? kNothingShown
                                                         : tr("No finished run that is shown has both numbers."));
    scatter_->setCurves(points_.curves);
    std::size_t runs = 0, finished = 0;
    for (const auto& own : points_.runs) runs += own.size();
    for (const std::size_t group : view.shown) finished += view.groups()[group].finished();
    const QString clock = clockInWords(view, {numberAt(*number_), numberAt(*against_)});
    const QString those =
        runs == finished ? QString::number(runs) : tr("%1 of %2, the others lack a number").arg(runs).arg(finished);
    note_->say(tr("one point a finished run: %1  ·  a double click opens it").arg(those) +
               (y == along ? QString() : QStringLiteral("  ·  ") + along) +
               (clock.isEmpty() ? QString() : QStringLiteral("  ·  ") + clock));
}

// Draws all configurations that pass the filter; those outside of a brush are drawn faint.
void CompareMap::drawParallel() {
    lines_.clear();
    for (std::size_t i = 0; i < board_.choice.groups().size(); ++i) {
        if (!board_.choice.isHidden(i) && board_.choice.passesFilter(i)) lines_.push_back(i);
    }
    parallel_->setEmptyText(kNothingShown);
    const CompareView view = board_.results.view();
    parallel_->setPlot(groupLines(view, lines_, usualAxes(view.groups())));
    takeBrush();  // new lines may pass the brushes
    note_->say(tr("a drag along an axis filters everywhere, a click clears it  ·  Left, Right, Up, Down, Escape"));
}

}  // namespace dasgd::gui
