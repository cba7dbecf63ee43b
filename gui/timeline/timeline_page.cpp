// The timeline of one run on a page of its own: an overview of all ranks over the whole run, the Gantt chart, and
// totals of the selection or, without one, of the visible window.
#include <QDropEvent>
#include <QFocusEvent>
#include <QHBoxLayout>
#include <QTimer>
#include <QVBoxLayout>
#include <utility>

#include "gui/data/runs/run_config.h"
#include "gui/data/spans/timeline_rows.h"
#include "gui/figures/export/figure_action.h"
#include "gui/figures/export/figure_export.h"
#include "gui/figures/model/rank_rows.h"
#include "gui/kit/parts/button_key.h"
#include "gui/kit/parts/dropped_files.h"
#include "gui/kit/parts/elided_label.h"
#include "gui/kit/parts/parts.h"
#include "gui/kit/parts/workspace_dialog.h"
#include "gui/kit/words/throttle.h"
#include "gui/timeline/beside_card.h"
#include "gui/timeline/find_bar.h"
#include "gui/timeline/model/lateness_query.h"
#include "gui/timeline/model/overview_query.h"
#include "gui/timeline/model/trace_job.h"
#include "gui/timeline/rows_area.h"
#include "gui/timeline/selection_card.h"
#include "gui/timeline/shown_timeline.h"
#include "gui/timeline/straggler_card.h"
#include "gui/timeline/view/overview_widget.h"

namespace dasgd::gui {

namespace {

constexpr int kSelectionWidth = 320;
constexpr int kRoomyWidth = 1200;     // below this width of the page the selection's column is closed
constexpr int kLowPage = 760;         // below this height of the page the overview is lower, which leaves more for rows
constexpr int kMeasureDelayMs = 150;  // pause after the window's last move before its totals are computed
constexpr int kMeasurePauseMs = 1000;  // time between two computations of totals while the window follows a run
constexpr int kExtentPauseMs = 250;    // least time between two updates of the extent of the newest spans

class TimelinePage : public QWidget {
public:
    explicit TimelinePage(PageContext& context)
        : context_(context),
          session_(context.session),
          spans_(context.session.feed().query<TimelineQuery>()),
          overviewQuery_(context.session.feed().query<OverviewQuery>()),
          lateness_(context.session.feed().query<LatenessQuery>()),
          traces_(context.engine.program(), context.session.feed().workspace()) {
        setAcceptDrops(true);
        auto* column = padded(spaced(new QVBoxLayout(this), kGap), {24, 18, 24, 16});
        column->addLayout(makeHeader());
        column->addWidget(message_ = new MessageBar(context.look));
        exporter_ = new FigureExport(session_, *export_, *message_, this);
        auto* row = spaced(new QHBoxLayout, kGap);
        auto* left = spaced(new QVBoxLayout, kGap);
        left->addWidget(makeOverview());
        left->addWidget(makeTimelines(), 1);
        row->addLayout(left, 1);
        QWidget* selection = makeSelection();
        row->addWidget(selection);
        connect(toggle_, &QToolButton::toggled, selection, &QWidget::setVisible);
        column->addLayout(row, 1);
        settle_.setSingleShot(true);
        connectAll();
        message_->say(session_.error());
        showRun();
        showMeasure({});
    }

protected:
    void focusInEvent(QFocusEvent* event) override {
        QWidget::focusInEvent(event);
        card_->timeline().setFocus(event->reason());
    }
    void resizeEvent(QResizeEvent* event) override {
        QWidget::resizeEvent(event);
        const bool roomy = width() >= kRoomyWidth;
        if (roomy != std::exchange(roomy_, roomy)) toggle_->setChecked(roomy);
        overview_->setFixedHeight(height() < kLowPage ? 64 : 72);
    }
    void dragEnterEvent(QDragEnterEvent* event) override {
        event->setAccepted(!traces_.isBusy() && event->mimeData()->hasUrls() &&
                           experimentIn(*event->mimeData()).isEmpty());
    }
    void dropEvent(QDropEvent* event) override {
        QStringList files;
        for (const QUrl& url : event->mimeData()->urls()) files << url.toLocalFile();
        traces_.import(files);
    }
    void showEvent(QShowEvent* event) override {
        QWidget::showEvent(event);
        settle_.start(kMeasureDelayMs);
        showRun();
        lateness_.want(this);
    }
    void hideEvent(QHideEvent* event) override {
        QWidget::hideEvent(event);
        lateness_.release(this);
    }

private:
    QHBoxLayout* makeHeader() {
        auto* row = spaced(new QHBoxLayout, kGap);
        row->addWidget(title_ = new ElidedLabel("title"), 1);
        title_->setMinimumWidth(110);  // room for the algorithm's name
        row->addWidget(pill_ = new StatePill(context_.look));
        open_ = makeQuietButton(tr("Open trace …"),
                                tr("A trace of Chrome, Perfetto or PyTorch's profiler becomes a run  Ctrl+O"));
        addButtonKey(QStringLiteral("Ctrl+O"), *open_, open_);
        connect(open_, &QToolButton::clicked, this, [this] { openTrace(); });
        row->addWidget(open_);
        cancel_ = makeQuietButton(tr("Cancel import"),
                                  tr("Stop the import; the part that was read stays as a failed run  Ctrl+Shift+O"));
        addButtonKey(QStringLiteral("Ctrl+Shift+O"), *cancel_, cancel_);
        connect(cancel_, &QToolButton::clicked, this, [this] {
            traces_.cancel();
            message_->say(tr("The import was cancelled."), MessageBar::Kind::Note);
        });
        cancel_->hide();
        row->addWidget(cancel_);
        save_ = makeQuietButton(tr("Save trace …"), tr("The spans of this run for Perfetto or Chrome  Ctrl+S"));
        addButtonKey(QStringLiteral("Ctrl+S"), *save_, save_);
        connect(save_, &QToolButton::clicked, this, [this] { saveTrace(); });
        row->addWidget(save_);
        row->addWidget(makeBesideButton());
        row->addWidget(makeFigureButton(context_, [this] { return figureOfWindow(); }));
        row->addWidget(export_ = makeExportButton(*this));
        toggle_ = makeQuietButton(tr("Selection"), tr("Sums over the selection  Ctrl+I"));
        toggle_->setCheckable(true);
        toggle_->setChecked(true);
        addButtonKey(QStringLiteral("Ctrl+I"), *toggle_, this);
        row->addWidget(toggle_);
        return row;
    }

    QWidget* makeOverview() {
        auto* card = new Card;
        card->body().setContentsMargins(kPadding, 11, kPadding, 12);
        auto* head = spaced(new QHBoxLayout, kGap);
        head->addWidget(ranks_ = makeLabel({}, "head"));
        head->addSpacing(kGap);
        head->addWidget(find_ = new FindBar(session_, *this), 1);
        head->addWidget(extent_ = new ElidedLabel);
        extent_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        card->body().addLayout(head);
        card->body().addWidget(overview_ = new OverviewWidget(session_.selection(), context_.look));
        return card;
    }

    // Both timelines in a scroll area. Rows of many ranks scroll within their own; overview and selection do not
    // scroll.
    QWidget* makeTimelines() {
        card_ = new TimelineCard(session_, context_.look);
        card_->showDetails();
        auto* both = new QWidget;
        both->setObjectName(QStringLiteral("page"));
        auto* column = padded(spaced(new QVBoxLayout(both), kGap), {0, 0, 0, 0});
        column->addWidget(new RowsArea(*card_), 1);
        column->addWidget(beside_ = new BesideCard(session_, context_.look));
        beside_->hide();
        return makePageArea(both);
    }

    QWidget* makeSelection() {
        auto* column = new QWidget;
        column->setFixedWidth(kSelectionWidth);
        auto* rows = padded(spaced(new QVBoxLayout(column), kGap), {0, 0, 0, 0});
        rows->addWidget(selection_ = new SelectionCard, 1);
        rows->addWidget(stragglers_ = new StragglerCard(context_.look));
        auto* keys = makeLabel(tr("W A S D zoom and pan   [ ] next wait   F3 next found\n"
                                  "Shift+arrows select, next row   P pin   0 fits"),
                               "small");
        rows->addWidget(keys);
        return column;
    }

    std::optional<std::pair<QString, FigureSpec>> figureOfWindow() {
        const auto figure = figureOfTimeline(session_);
        return figure ? std::optional(std::pair(figure->title, *figure)) : std::nullopt;
    }

    void exportShown() {
        if (const auto figure = figureOfTimeline(session_))
            exporter_->writeShown(session_.currentId() + QStringLiteral("-timeline"),
                                  {{QStringLiteral("timeline"), *figure}});
    }

    QToolButton* makeBesideButton() {
        QToolButton* button =
            makeQuietButton(tr("Beside another run …"), tr("Two runs on one time axis, and their numbers  Ctrl+B"));
        button->setCheckable(true);
        addButtonKey(QStringLiteral("Ctrl+B"), *button, button);
        connect(button, &QToolButton::toggled, this, [this](bool on) {
            beside_->setVisible(on);
            if (on) beside_->takeFocus();
        });
        return button;
    }

    void openTrace() {
        if (traces_.isBusy()) return;
        auto* dialog = makeWorkspaceDialog(*this, session_.feed().workspace(),
                                           tr("Open a trace; of PyTorch's profiler the files of all ranks"));
        dialog->setFileMode(QFileDialog::ExistingFiles);
        dialog->setNameFilters({tr("Traces (*.json *.json.gz *.pftrace *.perfetto-trace *.gz)"), tr("All files (*)")});
        connect(dialog, &QFileDialog::filesSelected, this, [this](const QStringList& files) { traces_.import(files); });
        dialog->open();
    }

    // Saves the run's trace; the dialog asks before it overwrites a file.
    void saveTrace() {
        const RunItemPtr run = session_.current();
        if (!run || traces_.isBusy()) return;
        auto* dialog = makeWorkspaceDialog(*this, session_.feed().workspace(), tr("Save the trace of this run"));
        dialog->setAcceptMode(QFileDialog::AcceptSave);
        dialog->setNameFilters({tr("Chrome JSON (*.json *.json.gz)"), tr("Perfetto (*.pftrace)")});
        dialog->setDefaultSuffix(QStringLiteral("json"));
        connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
            dialog->setDefaultSuffix(filter.contains(QStringLiteral("pftrace")) ? QStringLiteral("pftrace")
                                                                                : QStringLiteral("json"));
        });
        dialog->selectFile(run->id + QStringLiteral(".json"));
        connect(dialog, &QFileDialog::fileSelected, this,
                [this, id = run->id](const QString& file) { traces_.save(id, file); });
        dialog->open();
    }

    void connectTraces() {
        connect(&traces_, &TraceJob::busyChanged, this, [this] {
            open_->setEnabled(!traces_.isBusy());
            save_->setEnabled(!traces_.isBusy());
            open_->setVisible(!traces_.isImporting());
            cancel_->setVisible(traces_.isImporting());
            if (traces_.isBusy()) message_->say(tr("Working on the trace …"), MessageBar::Kind::Note);
        });
        connect(&traces_, &TraceJob::progressed, this, [this](int percent) {
            message_->say(tr("Importing the trace: %1 %").arg(percent), MessageBar::Kind::Note);
        });
        connect(&traces_, &TraceJob::imported, this, [this](const QString& run, const QString& words, bool whole) {
            session_.choose(run);
            message_->say(words, whole ? MessageBar::Kind::Note : MessageBar::Kind::Error);
        });
        connect(&traces_, &TraceJob::saved, this,
                [this](const QString& file) { message_->say(tr("Saved %1").arg(file), MessageBar::Kind::Note); });
        connect(&traces_, &TraceJob::failed, this, [this](const QString& words) { message_->say(words); });
    }

    void connectAll() {
        connectTraces();
        connect(export_, &QToolButton::clicked, this, [this] { exportShown(); });
        connect(&session_, &Session::currentChanged, this, [this] {
            if (!traces_.isBusy() && !exporter_->busy() && session_.error().isEmpty()) message_->clear();
            overview_->clear();
            stragglers_->setAnswer({});
            overview_->setLate({});
            showRun();
            showMeasure({});
        });
        connect(&session_, &Session::detailChanged, this, [this] {
            if (isVisible()) showRun();
        });
        connect(&session_, &Session::shownChanged, this, [this] {
            if (isVisible()) showRun();
        });
        connect(&session_, &Session::errorChanged, this, [this] {
            message_->say(session_.error());
            showRun();
        });
        connect(&session_, &Session::pulseChanged, this, [this] {
            if (isVisible()) extentPace_.request();
        });
        connect(overview_, &OverviewWidget::widthWanted, &overviewQuery_, &OverviewQuery::setWidth);
        connect(&overviewQuery_, &OverviewQuery::arrived, this, [this](const OverviewPicturePtr& picture) {
            if (QString::fromStdString(picture->runId) == session_.currentId()) overview_->setPicture(picture);
        });
        connect(&spans_, &TimelineQuery::measured, this, [this](const Measure& measure) {
            if (QString::fromStdString(measure.runId) == session_.currentId()) showMeasure(measure);
        });
        connect(&lateness_, &LatenessQuery::arrived, this, [this](const LatenessAnswer& answer) {
            if (answer.runId != session_.currentId()) return;
            session_.timelineRows().setLateness(answer.lateness);
            stragglers_->setAnswer(answer);
            overview_->setLate(lateRanksInWords(answer));
        });
        connect(find_, &FindBar::shown, &card_->timeline(), &TimelineWidget::setFound);
        connect(find_, &FindBar::left, this, [this] { card_->timeline().setFocus(Qt::OtherFocusReason); });
        connect(selection_, &SelectionCard::zoomWanted, this, [this] {
            if (const auto marked = session_.selection().marked()) session_.selection().setWindow(*marked);
        });
        connect(stragglers_, &StragglerCard::rankChosen, this, [this](int rank) { session_.timelineRows().pin(rank); });
        connect(&session_.selection(), &TimeSelection::windowChanged, this, [this] {
            const bool late = !session_.selection().following() && settle_.remainingTime() > kMeasureDelayMs;
            if (!settle_.isActive() || late) {
                settle_.start(session_.selection().following() ? kMeasurePauseMs : kMeasureDelayMs);
            }
        });
        connect(&session_.selection(), &TimeSelection::markedChanged, this, [this] {
            if (!settle_.isActive()) settle_.start(kMeasureDelayMs);
        });
        connect(&settle_, &QTimer::timeout, this, [this] {
            // A marked range is measured by the timeline's own request.
            if (!isVisible() || session_.selection().marked() || !session_.current()) return;
            spans_.requestMeasure(session_.currentId(), session_.selection().window());
        });
    }

    void showRun() {
        const RunItemPtr run = session_.current();
        pill_->setVisible(run != nullptr);
        title_->setToolTip(run ? asTip(runTitle(run->row)) : QString());
        if (!run) {
            showNothing();
            ranks_->clear();
            extent_->say({});
            title_->setTexts({!session_.error().isEmpty() ? tr("The workspace cannot be read")
                              : session_.loaded()         ? tr("No run yet")
                                                          : tr("Reading the workspace …")});
            return;
        }
        const QString title = runTitle(run->row), ofRun = title.section(QStringLiteral("  /  "), -1);
        title_->setTexts({title, ofRun, ofRun.section(QStringLiteral("  ·  "), 0, 0)});
        pill_->setState(stateInWords(run->row));
        ranks_->setText(run->row.workers == 1 ? tr("1 rank") : tr("All %1 ranks").arg(run->row.workers));
        showExtent();
    }

    // Tells the cards why they are empty, so that they do not say "reading" without anything to read.
    void showNothing() {
        const Pulse& pulse = session_.pulse();
        const bool none = pulse.runId == session_.currentId() && pulse.spans == 0 && !pulse.live;
        const QString why = !session_.current() ? tr("no run is chosen")
                            : none              ? tr("no spans were recorded")
                                                : QString();
        selection_->setNothing(why);
        stragglers_->setNothing(why);
    }

    void showExtent() {
        showNothing();
        const RunItemPtr run = session_.current();
        if (!run) return;
        const TimeRange extent = session_.selection().extent();
        extent_->say(tr("%1 spans in %2, %3")
                         .arg(grouped(session_.pulse().spans), durationInWords(extent.end - extent.start).text(),
                              originInWords(*run)));
    }

    void showMeasure(const Measure& measure) {
        selection_->setMeasure(measure, session_.selection().marked().has_value());
    }

    PageContext& context_;
    Session& session_;
    TimelineQuery& spans_;
    OverviewQuery& overviewQuery_;
    LatenessQuery& lateness_;
    ElidedLabel* title_ = nullptr;
    StatePill* pill_ = nullptr;
    QLabel* ranks_ = nullptr;
    ElidedLabel* extent_ = nullptr;
    MessageBar* message_ = nullptr;
    OverviewWidget* overview_ = nullptr;
    FindBar* find_ = nullptr;
    TimelineCard* card_ = nullptr;
    SelectionCard* selection_ = nullptr;
    StragglerCard* stragglers_ = nullptr;
    FigureExport* exporter_ = nullptr;
    QToolButton *export_ = nullptr, *toggle_ = nullptr, *open_ = nullptr, *save_ = nullptr, *cancel_ = nullptr;
    BesideCard* beside_ = nullptr;
    TraceJob traces_;
    bool roomy_ = true;
    QTimer settle_;
    Throttle extentPace_{kExtentPauseMs, [this] { showExtent(); }};
};

const PageRegistry::Add<TimelinePage> kTimelinePageEntry{
    {.order = 25, .title = "Timeline", .icon = "M1 2.5h6M9 2.5h5M3 7.5h8M1 12.5h4M7 12.5h7"}};

}  // namespace

}  // namespace dasgd::gui
