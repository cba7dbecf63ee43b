// The timeline of one run on a page of its own: all ranks from the beginning to the end on top, the Gantt, and what the
// selection adds up to, or where nothing is selected what is seen.
#include <QFocusEvent>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QTimer>
#include <QVBoxLayout>
#include <utility>

#include "gui/models/live/overview_query.h"
#include "gui/models/ranks/lateness_query.h"
#include "gui/models/runs/run_config.h"
#include "gui/models/timeline/timeline_rows.h"
#include "gui/pages/figure_action.h"
#include "gui/timeline/overview_widget.h"
#include "gui/widgets/parts.h"
#include "gui/widgets/timeline/selection_card.h"
#include "gui/widgets/timeline/straggler_card.h"
#include "gui/widgets/timeline/timeline_card.h"

namespace dasgd::gui {

namespace {

constexpr int kSelectionWidth = 320;
constexpr int kRoomyWidth = 1200;     // of the page: below that the timeline has all of it
constexpr int kLowPage = 760;         // of its height: below that the rows have more of it
constexpr int kMeasureDelayMs = 150;  // of what is seen, once the window stands still

class TimelinePage : public QWidget {
public:
    explicit TimelinePage(PageContext& context)
        : context_(context),
          session_(context.session),
          spans_(context.session.feed().query<TimelineQuery>()),
          overviewQuery_(context.session.feed().query<OverviewQuery>()),
          lateness_(context.session.feed().query<LatenessQuery>()) {
        auto* column = new QVBoxLayout(this);
        column->setContentsMargins(24, 18, 24, 16);
        column->setSpacing(kGap);
        column->addLayout(makeHeader());
        column->addWidget(message_ = new MessageBar(context.look));
        auto* row = new QHBoxLayout;
        row->setSpacing(kGap);
        auto* left = new QVBoxLayout;
        left->setSpacing(kGap);
        left->addWidget(makeOverview());
        left->addWidget(makeTimeline(), 1);
        row->addLayout(left, 1);
        QWidget* selection = makeSelection();
        row->addWidget(selection);
        connect(toggle_, &QToolButton::toggled, selection, &QWidget::setVisible);
        column->addLayout(row, 1);
        settle_.setSingleShot(true);
        settle_.setInterval(kMeasureDelayMs);
        connectAll();
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
    void showEvent(QShowEvent* event) override {
        QWidget::showEvent(event);
        settle_.start();
        lateness_.setWanted(true);
    }
    void hideEvent(QHideEvent* event) override {
        QWidget::hideEvent(event);
        lateness_.setWanted(false);
    }

private:
    QHBoxLayout* makeHeader() {
        auto* row = new QHBoxLayout;
        row->setSpacing(kGap);
        row->addWidget(title_ = makeElasticLabel("title"), 1);
        row->addWidget(pill_ = new StatePill(context_.look));
        row->addWidget(makeFigureButton(context_, [this] { return figureOfWindow(); }));
        toggle_ = makeQuietButton(tr("Selection"), tr("What the selection adds up to  Ctrl+I"));
        toggle_->setCheckable(true);
        toggle_->setChecked(true);
        toggle_->setShortcut(QKeySequence(QStringLiteral("Ctrl+I")));
        row->addWidget(toggle_);
        return row;
    }

    QWidget* makeOverview() {
        auto* card = new Card;
        card->body().setContentsMargins(kPadding, 11, kPadding, 12);
        auto* head = new QHBoxLayout;
        head->addWidget(ranks_ = makeLabel({}, "head"));
        head->addStretch();
        head->addWidget(extent_ = makeLabel({}, "small"));
        card->body().addLayout(head);
        card->body().addWidget(overview_ = new OverviewWidget(session_.selection(), context_.look));
        return card;
    }

    // The rows of many ranks scroll; the strip on top and the selection stay.
    QWidget* makeTimeline() {
        auto* area = new QScrollArea;
        area->setObjectName(QStringLiteral("page"));
        area->setFrameShape(QFrame::NoFrame);
        area->setWidgetResizable(true);
        area->setWidget(card_ = new TimelineCard(session_, context_.look));
        card_->showDetails();
        return area;
    }

    QWidget* makeSelection() {
        auto* column = new QWidget;
        column->setFixedWidth(kSelectionWidth);
        auto* rows = new QVBoxLayout(column);
        rows->setContentsMargins(0, 0, 0, 0);
        rows->setSpacing(kGap);
        rows->addWidget(selection_ = new SelectionCard, 1);
        rows->addWidget(stragglers_ = new StragglerCard(context_.look));
        auto* keys = makeLabel(tr("W A S D zoom and pan   [ ] next wait   P pin\n"
                                  "Shift+arrows select, next row   0 fits   F follows"),
                               "small");
        rows->addWidget(keys);
        return column;
    }

    // What is selected, else what is seen.
    std::optional<std::pair<QString, FigureSpec>> figureOfWindow() {
        const RunItemPtr run = session_.current();
        const TimeRange range = session_.selection().marked().value_or(session_.selection().window());
        if (!run || range.end <= range.start) return std::nullopt;
        FigureSpec spec{.kind = FigureKind::Timeline, .runs = {run->id}};
        spec.windowS = FigureRange{static_cast<double>(range.start) / 1e9, static_cast<double>(range.end) / 1e9};
        spec.title = tr("Timeline of %1").arg(QString::fromStdString(run->row.algorithm));
        return std::pair(spec.title, spec);
    }

    void connectAll() {
        connect(&session_, &Session::currentChanged, this, [this] {
            overview_->clear();
            stragglers_->setAnswer({});
            showRun();
            showMeasure({});
        });
        connect(&session_, &Session::detailChanged, this, [this] { showRun(); });
        connect(&session_, &Session::errorChanged, this, [this] {
            message_->say(session_.error());
            showRun();
        });
        connect(&session_, &Session::pulseChanged, this, [this] { showRun(); });
        connect(overview_, &OverviewWidget::widthWanted, &overviewQuery_, &OverviewQuery::setWidth);
        connect(&overviewQuery_, &OverviewQuery::arrived, this, [this](const TimelineFramePtr& frame) {
            if (QString::fromStdString(frame->runId) == session_.currentId()) overview_->setFrame(frame);
        });
        connect(&spans_, &TimelineQuery::measured, this, [this](const Measure& measure) {
            if (QString::fromStdString(measure.runId) == session_.currentId()) showMeasure(measure);
        });
        connect(&lateness_, &LatenessQuery::arrived, this, [this](const LatenessAnswer& answer) {
            if (answer.runId != session_.currentId()) return;
            session_.timelineRows().setLateness(answer.lateness);
            stragglers_->setAnswer(answer);
        });
        connect(stragglers_, &StragglerCard::rankChosen, this, [this](int rank) { session_.timelineRows().pin(rank); });
        connect(&session_.selection(), &TimeSelection::windowChanged, &settle_, qOverload<>(&QTimer::start));
        connect(&session_.selection(), &TimeSelection::markedChanged, &settle_, qOverload<>(&QTimer::start));
        connect(&settle_, &QTimer::timeout, this, [this] {
            // The timeline asks for what is marked.
            if (!isVisible() || session_.selection().marked() || !session_.current()) return;
            spans_.requestMeasure(session_.currentId(), session_.selection().window());
        });
    }

    void showRun() {
        const RunItemPtr run = session_.current();
        pill_->setVisible(run != nullptr);
        if (!run) {
            ranks_->clear();
            extent_->clear();
            title_->setText(!session_.error().isEmpty() ? tr("The workspace cannot be read")
                            : session_.loaded()         ? tr("No run yet: set one up on the Experiment page (Ctrl+1).")
                                                        : tr("Reading the workspace …"));
            return;
        }
        title_->setText(runTitle(run->row));
        pill_->setState(stateOf(run->row));
        ranks_->setText(run->row.workers == 1 ? tr("1 rank") : tr("All %1 ranks").arg(run->row.workers));
        const TimeRange extent = session_.selection().extent();
        extent_->setText(tr("%1 spans in %2%3")
                             .arg(grouped(session_.pulse().spans), durationInWords(extent.end - extent.start).text(),
                                  run->row.timeSimulated ? tr(", time simulated") : QString()));
    }

    void showMeasure(const Measure& measure) {
        selection_->setMeasure(measure, session_.selection().marked().has_value());
    }

    PageContext& context_;
    Session& session_;
    TimelineQuery& spans_;
    OverviewQuery& overviewQuery_;
    LatenessQuery& lateness_;
    QLabel* title_ = nullptr;
    StatePill* pill_ = nullptr;
    QLabel *ranks_ = nullptr, *extent_ = nullptr;
    MessageBar* message_ = nullptr;
    OverviewWidget* overview_ = nullptr;
    TimelineCard* card_ = nullptr;
    SelectionCard* selection_ = nullptr;
    StragglerCard* stragglers_ = nullptr;
    QToolButton* toggle_ = nullptr;
    bool roomy_ = true;
    QTimer settle_;
};

const PageRegistry::Add<TimelinePage> kTimelinePageEntry{
    {.order = 25, .title = "Timeline", .icon = "M1 2.5h6M9 2.5h5M3 7.5h8M1 12.5h4M7 12.5h7"}};

}  // namespace

}  // namespace dasgd::gui
