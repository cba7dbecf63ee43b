// The timeline of one run on a page of its own: all ranks from the beginning to the end on top, the Gantt, and what the
// selection adds up to, or where nothing is selected what is seen.
#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QScrollArea>
#include <QTableWidget>
#include <QTimer>
#include <QVBoxLayout>
#include <utility>

#include "gui/models/live/overview_query.h"
#include "gui/models/runs/run_config.h"
#include "gui/models/timeline/measure_table.h"
#include "gui/models/timeline/span_colors.h"
#include "gui/pages/figure_action.h"
#include "gui/timeline/overview_widget.h"
#include "gui/widgets/parts.h"
#include "gui/widgets/timeline_card.h"

namespace dasgd::gui {

namespace {

constexpr int kSelectionWidth = 320;
constexpr int kRoomyWidth = 1200;     // of the page: below that the timeline has all of it
constexpr int kMeasureDelayMs = 150;  // of what is seen, once the window stands still

class TimelinePage : public QWidget {
public:
    explicit TimelinePage(PageContext& context)
        : context_(context),
          session_(context.session),
          spans_(context.session.feed().query<TimelineQuery>()),
          overviewQuery_(context.session.feed().query<OverviewQuery>()) {
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
    }
    void showEvent(QShowEvent* event) override {
        QWidget::showEvent(event);
        settle_.start();
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
        return area;
    }

    QWidget* makeSelection() {
        auto* card = new Card;
        card->setFixedWidth(kSelectionWidth);
        card->body().addWidget(makeLabel(tr("Selection"), "head"));
        card->body().addWidget(length_ = makeLabel({}));
        length_->setWordWrap(true);
        table_ = new QTableWidget(0, 4);
        table_->setHorizontalHeaderLabels({tr("kind"), tr("ms"), tr("most"), tr("share")});
        table_->setAccessibleName(tr("What the selection adds up to"));
        table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
        table_->setSelectionBehavior(QAbstractItemView::SelectRows);
        table_->setShowGrid(false);
        table_->setIconSize(QSize(10, 10));
        table_->setFrameShape(QFrame::NoFrame);
        table_->verticalHeader()->hide();
        table_->verticalHeader()->setDefaultSectionSize(24);
        table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
        table_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
        card->body().addWidget(table_, 1);
        card->body().addWidget(hidden_ = makeLabel({}));
        hidden_->setWordWrap(true);
        copy_ = makeButton(tr("Copy table"), false, tr("The numbers with tabs between them, for a spreadsheet"));
        connect(copy_, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(textOf(shown_)); });
        card->body().addWidget(copy_);
        auto* keys =
            makeLabel(tr("W A S D zoom and pan   [ ] next wait\nShift+arrows select   0 fits   F follows"), "small");
        card->body().addWidget(keys);
        return card;
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
        shown_ = measure.range.end > measure.range.start ? tableOf(measure) : MeasureTable{};
        copy_->setEnabled(!shown_.lines.empty());
        const bool marked = session_.selection().marked().has_value();
        const QString length = durationInWords(measure.range.end - measure.range.start).text();
        length_->setText(shown_.lines.empty()
                             ? tr("reading …")
                             : (marked ? tr("%1 selected, mean of %2 ranks") : tr("%1 in the window, mean of %2 ranks"))
                                   .arg(length)
                                   .arg(measure.ranks));
        table_->setRowCount(static_cast<int>(shown_.lines.size()));
        for (int row = 0; row < table_->rowCount(); ++row) setLine(row, shown_.lines[static_cast<std::size_t>(row)]);
        const double hidden = measure.mean.hiddenFraction();
        hidden_->setText(measure.mean.transfer > 0
                             ? tr("hidden %1 %   blocked %2 ms")
                                   .arg(QString::number(hidden * 100, 'f', 1),
                                        shortNumber(static_cast<double>(measure.mean.blocked) / 1e6, 3))
                             : tr("nothing was transferred"));
    }

    void setLine(int row, const MeasureLine& line) {
        const auto put = [&](int column, const QString& text, bool number) {
            auto* item = new QTableWidgetItem(text);
            item->setTextAlignment(Qt::AlignVCenter | (number ? Qt::AlignRight : Qt::AlignLeft));
            table_->setItem(row, column, item);
            return item;
        };
        QTableWidgetItem* what = put(0, line.what, false);
        if (line.kind) what->setData(Qt::DecorationRole, QColor::fromRgb(rgbOf(*line.kind)));
        put(1, shortNumber(line.meanMs, 3), true);
        put(2, line.most.section(QLatin1Char(' '), 0, 0), true)->setToolTip(line.most);
        put(3, QString::number(line.share * 100, 'f', 1) + QStringLiteral(" %"), true);
    }

    PageContext& context_;
    Session& session_;
    TimelineQuery& spans_;
    OverviewQuery& overviewQuery_;
    QLabel* title_ = nullptr;
    StatePill* pill_ = nullptr;
    QLabel *ranks_ = nullptr, *extent_ = nullptr, *length_ = nullptr, *hidden_ = nullptr;
    MessageBar* message_ = nullptr;
    OverviewWidget* overview_ = nullptr;
    TimelineCard* card_ = nullptr;
    QTableWidget* table_ = nullptr;
    QPushButton* copy_ = nullptr;
    QToolButton* toggle_ = nullptr;
    bool roomy_ = true;
    MeasureTable shown_;
    QTimer settle_;
};

const PageRegistry::Add<TimelinePage> kTimelinePageEntry{
    {.order = 25, .title = "Timeline", .icon = "M1 2.5h6M9 2.5h5M3 7.5h8M1 12.5h4M7 12.5h7"}};

}  // namespace

}  // namespace dasgd::gui
