#include "gui/scaling/scaling_side.h"

#include <QApplication>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QListView>
#include <QScrollArea>
#include <QStackedLayout>
#include <QTableView>
#include <QVBoxLayout>
#include <cmath>

#include "gui/figures/export/figure_action.h"
#include "gui/figures/export/figure_export.h"
#include "gui/figures/model/figure_runs.h"
#include "gui/kit/parts/button_key.h"
#include "gui/kit/parts/keyed_action.h"
#include "gui/kit/parts/parts.h"
#include "gui/scaling/line_delegate.h"
#include "gui/scaling/model/scaling_list_model.h"
#include "gui/scaling/model/scaling_table_model.h"
#include "gui/scaling/points_table.h"
#include "gui/scaling/reports/job_action.h"
#include "gui/scaling/scaling_card.h"

namespace dasgd::gui {

namespace {

constexpr int kListWidth = 352, kTightListWidth = 290, kBesideRows = 22;
constexpr int kNarrow = 960;      // below this width the table stands under the list
constexpr int kTight = 1180;      // below this width list and table columns are as narrow as their content
constexpr int kChartWidth = 400;  // least width of a chart, if several stand in a row

class ScalingSide : public QScrollArea {
public:
    explicit ScalingSide(PageContext& context)
        : context_(context),
          session_(context.session),
          board_(session_),
          list_(new ScalingListModel(board_, this)),
          table_(new ScalingTableModel(board_, this)) {
        setObjectName(QStringLiteral("page"));
        setFrameShape(QFrame::NoFrame);
        setWidgetResizable(true);
        auto* inner = new QWidget;
        inner->setObjectName(QStringLiteral("page"));
        setWidget(inner);
        auto* column = padded(spaced(new QVBoxLayout(inner), kGap), {24, 0, 24, 16});
        column->addLayout(makeHeader());
        column->addWidget(message_ = new MessageBar(context.look));
        exporter_ = new FigureExport(session_, *export_, *message_, this);
        // The layout needs a parent first: it shows its first widget at once, which otherwise would open as a window.
        column->addLayout(body_ = new QStackedLayout, 1);
        body_->addWidget(makeBody());
        body_->addWidget(empty_ = new EmptyCard);
        auto* begin = new QHBoxLayout;
        QToolButton* scale = makeQuietButton(tr("Scale …"), tr("The experiment that is set up, as a report"));
        connect(scale, &QToolButton::clicked, this, [this] { askOfDraft(context_, JobKind::Scale); });
        begin->addWidget(scale, 0, Qt::AlignCenter);
        empty_->addRow(begin);
        connectAll();
        arrange();
        update();
    }

protected:
    void showEvent(QShowEvent* event) override {
        QScrollArea::showEvent(event);
        board_.setWatching(true);
    }
    void hideEvent(QHideEvent* event) override {
        QScrollArea::hideEvent(event);
        board_.setWatching(false);
    }
    void resizeEvent(QResizeEvent* event) override {
        QScrollArea::resizeEvent(event);
        arrange();
    }

private:
    QHBoxLayout* makeHeader() {
        auto* top = spaced(new QHBoxLayout, 9);
        kind_ = new Choice(tr("Weak: the batch of each worker stays the same. Strong: that of all workers together"),
                           {tr("weak scaling"), tr("strong scaling")}, 0);
        goal_ = new QLineEdit;
        goal_->setPlaceholderText(tr("Target: accuracy=0.97 or loss=0.1"));
        goal_->setToolTip(tr("Also draw the time until an evaluation reaches it"));
        goal_->setAccessibleName(tr("Target"));
        goal_->setClearButtonEnabled(true);
        goal_->setFixedWidth(250);
        export_ = makeButton(tr("Export"), true, tr("Write these plots as PDF, SVG, PNG, CSV  Ctrl+E"));
        addButtonKey(QStringLiteral("Ctrl+E"), *export_, this);
        QToolButton* figure = makeFigureButton(context_, [this] { return figureOfCard(); });
        for (QWidget* each : std::initializer_list<QWidget*>{kind_, goal_, figure, export_}) top->addWidget(each);
        top->insertWidget(0, summary_ = makeElasticLabel("small"), 1);
        return top;
    }

    QWidget* makeBody() {
        auto* body = new QWidget;
        auto* column = padded(spaced(new QVBoxLayout(body), kGap), {0, 0, 0, 0});
        charts_ = new QGridLayout;
        charts_->setSpacing(kGap);
        const auto card = [&](const QString& title, ScalingPlot plot) {
            cards_.push_back(new ScalingCard(title, plot, board_, context_.look, body));
        };
        card(tr("Throughput"), ScalingPlot::Throughput);
        card(tr("Efficiency"), ScalingPlot::Efficiency);
        card(tr("Time to target"), ScalingPlot::TimeToTarget);
        column->addLayout(charts_, 6);
        below_ = new QBoxLayout(QBoxLayout::LeftToRight);
        below_->setSpacing(kGap);
        below_->addWidget(makeList());
        below_->addWidget(makeTable(), 1);
        column->addLayout(below_, 5);
        return body;
    }

    QWidget* makeList() {
        listCard_ = new Card;
        listCard_->body().setContentsMargins(1, 10, 1, 6);
        filter_ = new QLineEdit;
        filter_->setPlaceholderText(tr("Filter configurations"));
        filter_->setClearButtonEnabled(true);
        filter_->setAccessibleName(tr("Filter configurations"));
        auto* row = padded(new QHBoxLayout, {10, 0, 10, 2});
        row->addWidget(filter_);
        listCard_->body().addLayout(row);
        lines_ = new QListView;
        lines_->setModel(list_);
        lines_->setItemDelegate(new LineDelegate(context_.look, lines_));
        lines_->setFrameShape(QFrame::NoFrame);
        lines_->setMouseTracking(true);
        lines_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        lines_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
        lines_->setLayoutMode(QListView::Batched);
        lines_->setAccessibleName(tr("Configurations"));
        makeClear(*lines_);
        lines_->setMinimumHeight(180);
        listCard_->body().addWidget(lines_, 1);
        return listCard_;
    }

    QWidget* makeTable() {
        auto* card = new Card;
        card->body().setContentsMargins(1, 6, 1, 8);
        points_ = makePointsTable(*table_);
        card->body().addWidget(points_, 1);
        runs_ = makeLabel({}, "mono");
        runs_->setTextInteractionFlags(Qt::TextSelectableByMouse);
        runs_->setContentsMargins(14, 2, 14, 0);
        runs_->setWordWrap(true);
        card->body().addWidget(runs_);
        return card;
    }

    void connectAll() {
        connect(&board_, &ScalingBoard::drawnChanged, this, [this] { update(); });
        connect(&session_, &Session::errorChanged, this, [this] { update(); });
        connect(&session_, &Session::runsChanged, this, [this] { update(); });
        connect(kind_, &Choice::changed, this,
                [this](int kind) { board_.setScaling(kind == 1 ? Scaling::Strong : Scaling::Weak); });
        connect(goal_, &QLineEdit::editingFinished, this, [this] { takeTarget(); });
        connect(goal_, &QLineEdit::textChanged, this, [this](const QString& text) {
            if (text.isEmpty()) takeTarget();
        });
        connect(filter_, &QLineEdit::textChanged, list_, &ScalingListModel::setFilter);
        connect(export_, &QPushButton::clicked, this, [this] { exportFigures(); });
        connect(points_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] { showPoint(); });
        connect(points_, &QTableView::activated, this, [this](const QModelIndex& index) { openRow(index.row()); });
        for (ScalingCard* card : cards_) {
            connect(card, &ScalingCard::pointClicked, this, [this](std::size_t line, int workers) {
                points_->setCurrentIndex(table_->index(table_->rowOf(line, workers), 0));
            });
            connect(card, &ScalingCard::pointOpened, this,
                    [this](std::size_t line, int workers) { openRow(table_->rowOf(line, workers)); });
        }
        addKeyedAction(*this, tr("Filter configurations"), {}, QKeySequence(QStringLiteral("Ctrl+F")),
                       [this] { filter_->setFocus(); });
        setFocusProxy(lines_);
    }

    void takeTarget() {
        if (goal_->text().trimmed().isEmpty()) {
            message_->clear();
            board_.setTarget(std::nullopt);
            return arrange();
        }
        const auto target = parseTarget(goal_->text().trimmed().toStdString());
        if (!target) return message_->say(QString::fromStdString(target.error().message));
        message_->clear();
        board_.setTarget(*target);
        arrange();
    }

    // Puts charts side by side as far as there is room, and list and table likewise.
    void arrange() {
        const int width = viewport()->width() - 48;
        std::vector<ScalingCard*> shown(cards_.begin(), cards_.begin() + (board_.target() ? 3 : 2));
        const int columns = std::clamp(width / kChartWidth, 1, static_cast<int>(shown.size()));
        const std::pair wanted{columns, static_cast<int>(shown.size())};
        if (wanted != arranged_) {
            arranged_ = wanted;
            for (ScalingCard* card : cards_) charts_->removeWidget(card);
            for (std::size_t i = 0; i < shown.size(); ++i) {
                const int at = static_cast<int>(i);
                charts_->addWidget(shown[i], at / columns, at % columns);
            }
            for (int i = 0; i < 3; ++i) charts_->setColumnStretch(i, i < columns ? 1 : 0);
            cards_.back()->setVisible(board_.target().has_value());
        }
        const bool narrow = width < kNarrow;
        below_->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
        const bool tight = width < kTight;
        const int listWidth = tight ? kTightListWidth : kListWidth;
        room_ = !tight ? 0 : narrow ? width - kBesideRows : width - listWidth - kGap - kBesideRows;
        listCard_->setMaximumWidth(narrow ? QWIDGETSIZE_MAX : listWidth);
        listCard_->setMinimumWidth(narrow ? 0 : listWidth);
        setWidths();
    }

    void showPoint() {
        const auto place = table_->placeOf(points_->currentIndex().row());
        const bool stands = place && place->first < board_.drawn().size();
        const auto* point = stands ? &board_.drawn()[place->first].points[place->second] : nullptr;
        for (ScalingCard* card : cards_) {
            if (point) {
                card->mark(place->first, point->workers);
            } else {
                card->unmark();
            }
        }
        setTone(*runs_, point ? "mono" : "small");
        const QString spread = QStringLiteral("  ·  ") + kStdOverSeeds;
        const QString hint = tr("Choose a point to see its runs; Enter opens them") + spread;
        if (!point) return runs_->setText(table_->rowCount() > 0 ? hint : QString());
        chosen_ = {board_.drawn()[place->first].line->key, point->workers};
        QStringList ids = points_->currentIndex().data(ScalingTableModel::RunIdsRole).toStringList();
        constexpr qsizetype kMost = 8;
        if (ids.size() > kMost) ids = ids.mid(0, kMost) << tr("and %1 more").arg(ids.size() - kMost);
        runs_->setText(ids.join(QStringLiteral("   ")) + spread);
    }

    // Selects the chosen point again after the rows were replaced.
    void rechoose() {
        for (std::size_t line = 0; line < board_.drawn().size(); ++line) {
            if (board_.drawn()[line].line->key != chosen_.first) continue;
            const int row = table_->rowOf(line, chosen_.second);
            if (row >= 0) points_->setCurrentIndex(table_->index(row, 0));
        }
        showPoint();
    }

    void openRow(int row) {
        const QStringList ids = table_->index(row, 0).data(ScalingTableModel::RunIdsRole).toStringList();
        if (ids.isEmpty()) return;
        session_.showTogether(ids);
        context_.open("Run");
    }

    QString targetText() const { return board_.target() ? goal_->text().trimmed() : QString(); }

    std::optional<std::pair<QString, FigureSpec>> figureOfCard() {
        const auto isIn = [](const ScalingCard* card) { return card->isAncestorOf(QApplication::focusWidget()); };
        const auto focused = std::ranges::find_if(cards_, isIn);
        FigureSpec spec = (focused == cards_.end() ? cards_.front() : *focused)->figure(targetText());
        spec.title = spec.scaling == Scaling::Strong ? tr("Strong scaling") : tr("Weak scaling");
        // A figure of all runs of its experiments gets a filter, so that it includes runs added later.
        const QStringList ids = spec.runs;
        if (const auto following = followingFigure(spec, session_.runs().items()); following && !ids.isEmpty())
            takeRuns(spec, ids, following->filter, session_.runs().items());
        return ids.isEmpty() ? std::nullopt : std::optional(std::pair(spec.title, spec));
    }

    void exportFigures() {
        std::vector<NamedFigure> figures;
        for (std::size_t i = 0; i < cards_.size(); ++i) {
            if (!cards_[i]->isVisible()) continue;
            figures.push_back({scalingPlotWords()[static_cast<qsizetype>(i)], cards_[i]->figure(targetText())});
        }
        exporter_->writeShown(board_.scaling() == Scaling::Strong ? tr("scaling-strong") : tr("scaling-weak"), figures);
    }

    QString summaryWords() const {
        int measured = 0, emulated = 0, simulated = 0, points = 0;
        qint64 unfinished = 0, live = 0;
        for (const DrawnLine& line : board_.drawn()) {
            (line.line->simulated() ? simulated : line.line->linkEmulated() ? emulated : measured) += 1;
            points += static_cast<int>(line.points.size());
            unfinished += static_cast<qint64>(line.line->unfinished.size());
            live += static_cast<qint64>(line.line->live.size());
        }
        QStringList words;
        if (measured > 0) words << tr("● %1 measured").arg(measured);
        if (emulated > 0) words << tr("● %1 measured, link emulated").arg(emulated);
        if (simulated > 0) words << tr("○ %1 simulated").arg(simulated);
        words << (points == 1 ? tr("1 point") : tr("%1 points").arg(grouped(points)));
        if (unfinished == 1) words << tr("1 run did not finish and is in no point");
        if (unfinished > 1) words << tr("%1 runs did not finish and are in no point").arg(grouped(unfinished));
        if (live > 0) words << tr("%1 still to finish").arg(grouped(live));
        if (board_.missing() > 0) words << tr("reading %1 runs …").arg(grouped(board_.missing()));
        const bool any = std::ranges::any_of(board_.drawn(), [](const DrawnLine& line) { return line.line->scales(); });
        words << (any ? tr("speed-up and efficiency against each line's smallest number of workers")
                      : tr("one number of workers so far; dasgd scale FILE.toml --workers 1,2,4 adds more"));
        std::vector<const std::vector<ScalingPoint>*> lines;
        for (const DrawnLine& line : board_.drawn()) lines.push_back(&line.points);
        if (const auto apart = unequalStarts(lines)) {
            words << tr("which do not compare these lines: at %1 %2 makes %3 % of the samples/s of %4")
                         .arg(apart->workers == 1 ? tr("1 worker") : tr("%1 workers").arg(apart->workers),
                              board_.drawn()[apart->slowest].name, QString::number(std::round(100 * apart->share)),
                              board_.drawn()[apart->fastest].name);
            if (apart->withinScatter) words.back() += tr(", no further apart than their seeds scatter");
        }
        return words.join(QStringLiteral("  ·  "));
    }

    // Tool tip that lists the runs which are in no point.
    QString leftOutTip() const {
        constexpr qsizetype kMost = 12;
        QStringList words = leftOutInWords(board_.drawn());
        const qsizetype more = words.size() - kMost;
        if (more > 0) words = words.mid(0, kMost) << tr("and %1 more").arg(more);
        return words.isEmpty() ? QString() : asTip(words.join(QLatin1Char('\n')));
    }

    void sayHowToBegin() {
        if (!session_.error().isEmpty()) return empty_->say(tr("The workspace cannot be read"), session_.error());
        empty_->say(session_.loaded() && board_.upToDate() ? tr("No finished runs yet") : tr("Reading the workspace …"),
                    tr("This page draws what was run at several numbers of workers: by Scale below, or in a shell\n\n"
                       "dasgd scale FILE.toml --workers 1,2,...,64 --workspace %1\n\n"
                       "Simulated (backend = \"virtual\") and measured runs are drawn together.")
                        .arg(QString::fromStdString(session_.feed().workspace().string())));
    }

    void update() {
        const bool empty = board_.lines().empty();
        const bool filled = !empty && body_->currentIndex() == 1;
        body_->setCurrentIndex(empty ? 1 : 0);
        // The list takes the focus when it appears; a hidden widget could not.
        if (filled && isVisible() && !goal_->hasFocus()) lines_->setFocus();
        export_->setEnabled(!empty && !exporter_->busy());
        if (empty) {
            summary_->clear();
            summary_->setToolTip({});
            return sayHowToBegin();
        }
        summary_->setText(summaryWords());
        summary_->setToolTip(leftOutTip());
        setWidths();
        rechoose();
    }

    // Sets column widths when the set of columns or the room changes; until then widths dragged by the user stay.
    void setWidths() {
        chooseColumns(*points_, room_ > 0);
        const std::pair wanted{shownColumns(*points_), room_};
        if (wanted == sized_ || table_->rowCount() == 0) return;
        sized_ = wanted;
        sizeColumns(*points_, room_);
    }

    PageContext& context_;
    Session& session_;
    ScalingBoard board_;
    ScalingListModel* list_;
    ScalingTableModel* table_;
    std::vector<ScalingCard*> cards_;
    std::pair<std::string, int> chosen_;  // line and workers of the chosen point
    std::pair<int, int> arranged_;        // columns and number of charts
    int room_ = 0;                        // width for the table on a tight page, in pixels; 0: enough
    std::pair<int, int> sized_;           // number of shown columns and room for which widths were set last
    Choice* kind_ = nullptr;
    QLineEdit *goal_ = nullptr, *filter_ = nullptr;
    QPushButton* export_ = nullptr;
    FigureExport* exporter_ = nullptr;
    MessageBar* message_ = nullptr;
    QLabel *summary_ = nullptr, *runs_ = nullptr;
    EmptyCard* empty_ = nullptr;
    QStackedLayout* body_ = nullptr;
    QGridLayout* charts_ = nullptr;
    QBoxLayout* below_ = nullptr;
    Card* listCard_ = nullptr;
    QListView* lines_ = nullptr;
    QTableView* points_ = nullptr;
};

}  // namespace

QWidget* makeScalingSide(PageContext& context) { return new ScalingSide(context); }

}  // namespace dasgd::gui
