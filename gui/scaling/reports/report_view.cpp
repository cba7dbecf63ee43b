#include "gui/scaling/reports/report_view.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QProgressBar>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/kit/plots/plot_view.h"

namespace dasgd::gui {

namespace {

constexpr int kReportRowHeight = 32, kFitHeight = 230;
constexpr qsizetype kMostRuns = 24;
constexpr qint64 kAgainMs = 800;

void empty(QLayout& layout) {
    while (QLayoutItem* item = layout.takeAt(0)) {
        if (item->widget()) item->widget()->deleteLater();
        delete item;
    }
}

Curve fitCurve(const std::vector<FitPoint>& fit, bool gathers, bool fitted, int color) {
    Curve curve{.name = gathers ? QStringLiteral("all-gather") : QStringLiteral("all-reduce"),
                .style = {.color = color, .dash = color, .marker = color},
                .kind = fitted ? Curve::Kind::Guide : Curve::Kind::Scatter};
    curve.name += fitted ? QStringLiteral(", fitted") : QStringLiteral(", timed");
    std::vector<FitPoint> points;
    std::ranges::copy_if(fit, std::back_inserter(points), [&](const FitPoint& one) { return one.gathers == gathers; });
    std::ranges::sort(points, {}, &FitPoint::bytes);
    for (const FitPoint& one : points) {
        curve.line.x.push_back(one.bytes / 1e3);
        curve.line.y.push_back((fitted ? one.fitted : one.seconds) * 1e3);
    }
    return curve;
}

QTableWidget* makeResultTable(const QString& name) {
    auto* table = new QTableWidget;
    table->setShowGrid(false);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setTabKeyNavigation(false);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(kReportRowHeight);
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setStretchLastSection(true);
    table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table->setAccessibleName(name);
    return table;
}

void fillResult(QTableWidget& into, const ReportTable& table) {
    into.clear();
    into.setRowCount(static_cast<int>(table.rows.size()));
    into.setColumnCount(static_cast<int>(table.headers.size()));
    into.setHorizontalHeaderLabels(table.headers);
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const ReportRow& row = table.rows[i];
        for (qsizetype j = 0; j < row.cells.size(); ++j) {
            auto* item = new QTableWidgetItem(row.cells[j]);
            item->setToolTip(asTip(row.runs.isEmpty() ? row.cells[j] : row.runs.join(u'\n')));
            if (row.marked) item->setFont(interFont(13, Weight::SemiBold));
            if (j > 0 && j + 1 < row.cells.size()) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            into.setItem(static_cast<int>(i), static_cast<int>(j), item);
        }
    }
    for (int j = 0; j < into.columnCount(); ++j) {
        const bool number = j > 0 && j + 1 < into.columnCount();
        into.horizontalHeaderItem(j)->setTextAlignment((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    into.resizeColumnsToContents();
    into.setFixedHeight(into.horizontalHeader()->sizeHint().height() +
                        static_cast<int>(table.rows.size()) * kReportRowHeight + 14);
}

}  // namespace

ReportView::ReportView(const Look& look)
    : look_(look),
      title_(makeElasticLabel("title")),
      basis_(makeLabel({}, "small")),
      warning_(makeLabel({}, "warn")),
      state_(makeLabel({}, "muted")),
      notes_(makeLabel({})),
      origin_(makeLabel({}, "small")),
      message_(new MessageBar(look)),
      progress_(new QProgressBar),
      figures_(new QWidget),
      tableCard_(new Card),
      formulaCard_(new Card),
      fitCard_(new Card),
      notesCard_(new Card),
      table_(makeResultTable(tr("Result"))),
      formulas_(makeResultTable(tr("Times by formula"))),
      fit_(new PlotView(look)),
      runs_(makeLabel({}, "small")) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(kGap);
    auto* head = new QHBoxLayout;
    head->setSpacing(9);
    head->addWidget(title_, 1);
    makeActions(*head);
    column->addLayout(head);
    for (QLabel* label : {basis_, warning_, state_, notes_, origin_}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    progress_->setRange(0, 1000);
    progress_->setTextVisible(false);
    progress_->setFixedHeight(6);
    for (QWidget* one : std::initializer_list<QWidget*>{basis_, warning_, message_, state_, progress_, figures_}) {
        column->addWidget(one);
    }
    auto* grid = new QGridLayout(figures_);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(kGap);
    tableCard_->body().setContentsMargins(1, 6, 1, 8);
    tableCard_->body().addWidget(table_);
    column->addWidget(tableCard_);
    auto* formulaHead =
        makeLabel(tr("By formula alone, every algorithm at this period and delay, a ring over the link as "
                     "the probe saw it; nothing was run"),
                  "head");
    formulaHead->setWordWrap(true);
    formulaCard_->body().addWidget(formulaHead);
    formulaCard_->body().addWidget(formulas_);
    column->addWidget(formulaCard_);
    fitCard_->body().addWidget(makeLabel(tr("Collectives that were timed, and the link fitted to them"), "head"));
    fit_->setFixedHeight(kFitHeight);
    fit_->setAxes({.x = tr("kB of a rank"), .y = tr("ms"), .fromZero = true});
    fit_->setAccessibleName(tr("Timed collectives and the fitted link"));
    fitCard_->body().addWidget(fit_);
    column->addWidget(fitCard_);
    notesCard_->body().addWidget(notes_);
    column->addWidget(notesCard_);
    column->addWidget(origin_);
    runs_->setTextFormat(Qt::RichText);
    runs_->setWordWrap(true);
    runs_->setTextInteractionFlags(Qt::TextBrowserInteraction);
    runs_->setAccessibleName(tr("Runs of the report"));
    connect(runs_, &QLabel::linkActivated, this, &ReportView::runWanted);
    // A link's text contains its colour, so it is made anew for a new theme.
    connect(&look_, &Look::changed, this, &ReportView::showLinks);
    column->addWidget(runs_);
    column->addStretch();
    connect(table_, &QTableWidget::itemActivated, this, [this](const QTableWidgetItem* item) {
        const auto& runs = content_.table.rows[static_cast<std::size_t>(item->row())].runs;
        if (!runs.isEmpty()) emit runWanted(runs.front());
    });
    connect(table_, &QTableWidget::itemSelectionChanged, this,
            [this] { take_->setVisible(!chosenSettings().isEmpty()); });
}

void ReportView::makeActions(QHBoxLayout& row) {
    stop_ =
        makeButton(tr("Cancel"), false, tr("The present run ends at one step of all ranks; what is recorded stays"));
    prefer_ = makeButton(tr("Use for forecast"), false,
                         tr("The forecast of the same step takes this calibration before newer ones"));
    prefer_->setCheckable(true);
    take_ = makeButton(tr("Set in experiment"), true, tr("Write the chosen row's [algorithm] into the experiment"));
    again_ = makeButton(tr("Again …"), false, tr("The same with other options"));
    scaling_ = makeButton(tr("Scaling page"), true, tr("Draw these runs over the number of workers"));
    // The second press of a double click is ignored: another button may stand there by then.
    connect(stop_, &QPushButton::clicked, this, [this] {
        if (stopped_.isValid() && !stopped_.hasExpired(kAgainMs)) return;
        stopped_.start();
        emit stopWanted(name_);
    });
    connect(prefer_, &QPushButton::clicked, this, [this](bool on) { emit preferWanted(name_, on); });
    connect(take_, &QPushButton::clicked, this, [this] { emit settingsWanted(chosenSettings()); });
    connect(again_, &QPushButton::clicked, this, [this] { emit againWanted(name_); });
    connect(scaling_, &QPushButton::clicked, this, &ReportView::scalingWanted);
    for (QPushButton* one : {stop_, again_, prefer_, scaling_, take_}) row.addWidget(one);
}

QString ReportView::chosenSettings() const {
    const auto row = static_cast<std::size_t>(table_->currentRow());
    return table_->currentRow() >= 0 && row < content_.table.rows.size() ? content_.table.rows[row].settings
                                                                         : QString();
}

void ReportView::show(const Report& report, const ConfigOf& configOf, bool preferred) {
    if (report.name != name_) stopped_.invalidate();
    name_ = report.name;
    showState(report);
    prefer_->setChecked(preferred);
    prefer_->setText(preferred ? tr("✓ Used for forecast") : tr("Use for forecast"));
    // Progress arrives several times a second; the cards are made again only if the report changed.
    const QString made = report.name + stateInWords(report.state) + (isRunKnown(report, configOf) ? u'+' : u'-');
    if (made == shown_) return;
    shown_ = made;
    content_ = contentOf(report, configOf);
    title_->setText(content_.heading);
    basis_->setText(content_.basis);
    basis_->setVisible(!content_.basis.isEmpty());
    warning_->setText(QStringLiteral("⚠ ") + content_.warning);
    warning_->setVisible(!content_.warning.isEmpty());
    showFigures(content_.figures);
    showTable(content_.table);
    showFormulas(content_.formulas);
    showFit(content_.fit);
    notes_->setText(content_.notes.join(u'\n'));
    notesCard_->setVisible(!content_.notes.isEmpty());
    showOrigin(report);
}

void ReportView::showState(const Report& report) {
    const bool running = report.state == ReportState::Running, failed = report.state == ReportState::Failed;
    const bool finished = report.state == ReportState::Finished;
    stop_->setVisible(running);
    stop_->setText(report.stopping ? tr("End at once") : tr("Cancel"));
    again_->setVisible(!running);
    prefer_->setVisible(finished && report.asked.kind == JobKind::Calibrate);
    scaling_->setVisible(finished && report.asked.kind == JobKind::Scale);
    progress_->setVisible(running);
    progress_->setValue(static_cast<int>(1000 * report.progress.share()));
    progress_->setAccessibleName(report.progress.inWords());
    QString words;
    if (running) words = report.stopping ? tr("stopping … ") + report.progress.inWords() : report.progress.inWords();
    if (running) words += tr("\nIt goes on when this window is closed.");
    if (report.state == ReportState::Stopped) words = tr("Stopped. What its runs recorded is kept.");
    state_->setText(words);
    state_->setVisible(!words.isEmpty());
    if (failed && message_->text() != report.error) message_->say(report.error);
    if (!failed) message_->clear();
}

void ReportView::showFigures(const std::vector<ReportFigure>& figures) {
    auto* grid = static_cast<QGridLayout*>(figures_->layout());
    empty(*grid);
    const int columns = figures.size() % 5 == 0 ? 5 : 4;
    for (std::size_t i = 0; i < figures.size(); ++i) {
        const ReportFigure& one = figures[i];
        auto* card = new KeyFigure(one.label, one.help);
        card->setQuantity({one.number, one.unit});
        card->setAccessibleDescription(QStringLiteral("%1 %2, %3").arg(one.number, one.unit, one.help));
        auto* help = makeElasticLabel("small");
        help->setText(one.help);
        help->setWordWrap(true);
        card->body().addWidget(help);
        grid->addWidget(card, static_cast<int>(i) / columns, static_cast<int>(i) % columns);
    }
    figures_->setVisible(!figures.empty());
}

void ReportView::showTable(const ReportTable& table) {
    fillResult(*table_, table);
    tableCard_->setVisible(!table.rows.empty());
    const auto marked = std::ranges::find_if(table.rows, &ReportRow::marked);
    if (marked != table.rows.end()) table_->setCurrentCell(static_cast<int>(marked - table.rows.begin()), 0);
    take_->setVisible(!chosenSettings().isEmpty());
}

void ReportView::showFormulas(const ReportTable& table) {
    fillResult(*formulas_, table);
    formulaCard_->setVisible(!table.rows.empty());
}

void ReportView::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    for (QTableWidget* table : {table_, formulas_}) table->resizeColumnsToContents();
}

void ReportView::showFit(const std::vector<FitPoint>& fit) {
    fitCard_->setVisible(!fit.empty());
    std::vector<Curve> curves;
    for (const bool gathers : {false, true}) {
        if (std::ranges::none_of(fit, [&](const FitPoint& one) { return one.gathers == gathers; })) continue;
        curves.push_back(fitCurve(fit, gathers, false, gathers ? 2 : 1));
        curves.push_back(fitCurve(fit, gathers, true, gathers ? 2 : 1));
    }
    fit_->setCurves(std::move(curves));
}

void ReportView::showOrigin(const Report& report) {
    QStringList parts;
    const QString options = optionsInWords(report.asked);
    if (!options.isEmpty()) parts << options;
    parts << tr("started %1").arg(report.started.toLocalTime().toString(QStringLiteral("yyyy-MM-dd HH:mm")));
    if (report.ended.isValid()) {
        parts << tr("took %1").arg(clockText(static_cast<double>(report.started.msecsTo(report.ended)) / 1e3));
    }
    if (!report.version.isEmpty()) parts << tr("dasgd %1, %2").arg(report.version, report.program);
    parts << tr("kept as reports/%1.json").arg(report.name);
    origin_->setText(parts.join(QStringLiteral(" · ")));
    linked_ = report.runs();
    showLinks();
}

void ReportView::showLinks() {
    QStringList links;
    for (const QString& run : linked_.mid(0, kMostRuns)) {
        links << QStringLiteral("<a href=\"%1\" style=\"color: %2\">%1</a>")
                     .arg(run.toHtmlEscaped(), look_.theme().accent.name());
    }
    if (linked_.size() > kMostRuns) links << tr("and %1 more").arg(linked_.size() - kMostRuns);
    runs_->setText(tr("runs: ") + links.join(QStringLiteral(" &nbsp; ")));
    runs_->setVisible(!linked_.isEmpty());
}

}  // namespace dasgd::gui
