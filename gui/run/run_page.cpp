// One run, live: its description, six numbers, three charts of any metric beside the other runs, the overlap timeline,
// its ranks, the graph over which they mix, and their logs.
#include <QApplication>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QVBoxLayout>
#include <cmath>
#include <utility>

#include "core/base/metric_names.h"
#include "gui/data/filter/filter_expression.h"
#include "gui/data/runs/run_config.h"
#include "gui/experiment/model/experiment_draft.h"
#include "gui/experiment/model/start_list.h"
#include "gui/figures/export/figure_action.h"
#include "gui/figures/export/figure_export.h"
#include "gui/kit/curves/smoothing.h"
#include "gui/kit/parts/button_key.h"
#include "gui/kit/parts/parts.h"
#include "gui/kit/words/throttle.h"
#include "gui/run/chart/chart_card.h"
#include "gui/run/chart/csv_of_charts.h"
#include "gui/run/graph_card.h"
#include "gui/run/log_card.h"
#include "gui/run/queue_actions.h"
#include "gui/run/rank_card.h"
#include "gui/run/run_words.h"
#include "gui/run/shown_figures.h"
#include "gui/scaling/reports/job_action.h"
#include "gui/timeline/shown_timeline.h"
#include "gui/timeline/timeline_card.h"

namespace dasgd::gui {

namespace {

constexpr int kRunChartWidth = 425;   // least width of a chart, if several stand in a row
constexpr int kFiguresPauseMs = 250;  // least time between two updates of a live run's numbers
constexpr int kNarrowRun = 1300;      // below this width the logs stand under the ranks

class RunPage : public QScrollArea {
public:
    explicit RunPage(PageContext& context) : context_(context), session_(context.session) {
        setObjectName(QStringLiteral("page"));
        setFrameShape(QFrame::NoFrame);
        setWidgetResizable(true);
        setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
        auto* inner = new QWidget;
        inner->setObjectName(QStringLiteral("page"));
        setWidget(inner);
        auto* column = padded(spaced(new QVBoxLayout(inner), kGap), {24, 18, 24, 16});
        column->addLayout(makeHeader());
        column->addWidget(message_ = new MessageBar(context.look));
        exporter_ = new FigureExport(session_, *export_, *message_, this);
        column->addLayout(makeFigures());
        column->addLayout(makeCharts(), 6);
        column->addWidget(timeline_ = new TimelineCard(session_, context.look), 7);
        column->addLayout(makeRanks(), 3);
        connectAll();
        arrange();
        message_->say(session_.error());
        showRun();
    }

protected:
    void resizeEvent(QResizeEvent* event) override {
        QScrollArea::resizeEvent(event);
        arrange();
    }
    void showEvent(QShowEvent* event) override {
        QScrollArea::showEvent(event);
        session_.feed().query<RankStatesQuery>().setWanted(true);
        showRun();
    }
    void hideEvent(QHideEvent* event) override {
        QScrollArea::hideEvent(event);
        session_.feed().query<RankStatesQuery>().setWanted(false);
    }

private:
    QVBoxLayout* makeHeader() {
        auto* top = spaced(new QHBoxLayout, 9);
        title_ = makeElasticLabel("title", Qt::ElideMiddle);
        title_->setTextInteractionFlags(Qt::TextSelectableByMouse);
        top->addWidget(title_, 1);
        stop_ =
            makeButton(tr("Stop"), false,
                       tr("All ranks of this run end at one step; what was recorded is kept. The next run of a sweep "
                          "follows."));
        resume_ = makeButton(tr("Resume"), false, tr("Go on from the newest checkpoint of this run, as a new run"));
        again_ =
            makeButton(tr("Run again"), false, tr("Start this run once more from its beginning, with its settings"));
        compare_ = makeButton(tr("Compare"), true, tr("Draw all runs of this experiment together"));
        for (QPushButton* button : {stop_, resume_, again_, compare_}) top->addWidget(button);
        auto* second = spaced(new QHBoxLayout, kGap);
        second->addWidget(pill_ = new StatePill(context_.look));
        second->addWidget(cluster_ = makeLabel({}, "small"));
        second->addWidget(progress_ = makeLabel({}, "small"));
        second->addWidget(drawn_ = makeLabel({}, "small"));
        drawn_->setToolTip(
            asTip(tr("Drawn are this run and those of other configurations that started last, of its own "
                     "sweep first and of its own seed. Compare chooses others.")));
        second->addStretch();
        auto* replay = makeQuietButton(tr("Replay …"), tr("This run again on a virtual cluster, with another network"));
        connect(replay, &QToolButton::clicked, this, [this] {
            if (!session_.currentId().isEmpty()) askReplay(context_, session_.currentId());
        });
        second->addWidget(replay);
        second->addWidget(makeFigureButton(context_, [this] { return figureOfOne(); }));
        second->addWidget(
            export_ = makeExportMenu(*this, tr("Figures of charts, timeline and graph: PDF, SVG, PNG, pgfplots, CSV"),
                                     [this] { exportShown(); }));
        export_->menu()->addAction(new CsvAction(
            context_, this, [this] { return csvOfCharts(session_, charts_); },
            [this](const QString& words, MessageBar::Kind kind) { message_->say(words, kind); }));
        auto* header = spaced(new QVBoxLayout, 8);
        header->addLayout(top);
        header->addLayout(second);
        return header;
    }

    QHBoxLayout* makeFigures() {
        auto* row = spaced(new QHBoxLayout, kGap);
        for (const char* metric : {metrics::kTrainLoss, metrics::kEvalLoss, metrics::kEvalAccuracy})
            session_.wantMetric(metric);
        row->addWidget(loss_ = new KeyFigure(tr("training loss"), {}));
        row->addWidget(
            accuracy_ = new KeyFigure(tr("test accuracy"), tr("Ranks' average, last evaluation; Runs shows the best")));
        row->addWidget(
            speed_ = new KeyFigure(
                tr("samples/s"), tr("Over all ranks, evaluations left out; now: over the newest whole rounds, from one "
                                    "reduction to another, and how long these took, until the run is timed")));
        row->addWidget(
            hidden_ = new KeyFigure(tr("hidden"),
                                    tr("Part of the time of transfers in which the rank computed, in clean windows; "
                                       "now: in the newest spans, until the first window ends")));
        row->addWidget(blocked_ = new KeyFigure(tr("blocked"),
                                                tr("Time a rank stood waiting for late ranks or for bytes, in clean "
                                                   "windows; now: in the newest spans")));
        row->addWidget(sent_ = new KeyFigure(tr("sent per rank"), tr("Bytes a rank has sent since the start")));
        return row;
    }

    QGridLayout* makeCharts() {
        grid_ = new QGridLayout;
        grid_->setSpacing(kGap);
        for (const auto& [name, metric] :
             {std::pair("first", metrics::kEvalAccuracy), std::pair("second", metrics::kTrainLoss),
              std::pair("third", metrics::kSamplesPerS)}) {
            charts_.push_back(new ChartCard({QString::fromLatin1(name), metric}, session_, context_.look));
        }
        return grid_;
    }

    QBoxLayout* makeRanks() {
        below_ = new QBoxLayout(QBoxLayout::LeftToRight);
        below_->setSpacing(kGap);
        below_->addWidget(new RankCard(session_, context_.look), 2);
        below_->addWidget(graph_ = new GraphCard(session_, context_.look), 1);
        below_->addWidget(new LogCard(session_), 1);
        return below_;
    }

    // Puts as many charts side by side as there is room for; the last of an odd number takes the whole row.
    void arrange() {
        const int width = viewport()->width() - 48;
        const int columns = std::clamp(width / kRunChartWidth, 1, static_cast<int>(charts_.size()));
        below_->setDirection(width < kNarrowRun ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
        if (columns == columns_) return;
        columns_ = columns;
        for (ChartCard* chart : charts_) grid_->removeWidget(chart);
        const int n = static_cast<int>(charts_.size());
        for (int i = 0; i < n; ++i) {
            grid_->setColumnStretch(i, i < columns ? 1 : 0);
            const bool alone = i == n - 1 && i % columns == 0;
            grid_->addWidget(charts_[static_cast<std::size_t>(i)], i / columns, i % columns, 1, alone ? columns : 1);
        }
    }

    void connectAll() {
        connect(&session_, &Session::currentChanged, this, [this] {
            exporter_->forget();
            message_->say(session_.error());
            showRun();
        });
        connect(&session_, &Session::detailChanged, this, [this] {
            if (isVisible()) runPace_.request();
        });
        connect(&session_, &Session::shownChanged, this, [this] { showRun(); });
        connect(&session_, &Session::seriesChanged, this, [this] {
            if (isVisible()) curvePace_.request();
        });
        connect(&session_, &Session::errorChanged, this, [this] {
            message_->say(session_.error());
            showRun();
        });
        connect(&session_.feed().query<RankStatesQuery>(), &RankStatesQuery::arrived, this,
                [this](const RankStates& states) {
                    ranks_ = states;
                    if (const RunItemPtr run = session_.current()) showOverlap(*run);
                });
        connect(&context_.engine, &Engine::failed, this, [this](const QString& message, const Engine::About& about) {
            // Elsewhere a failure belongs to the page that shows what it is about.
            const bool isOfThis = about.runs.contains(session_.currentId());
            if (isOfThis || (isVisible() && about.runs.isEmpty())) {
                message_->say(message, cameTooLate(session_, about) ? MessageBar::Kind::Note : MessageBar::Kind::Error);
            }
            if (about.runs.contains(stopping_)) stopping_.clear();
            showRun();
        });
        // The run is taken at the press: the page may follow to the next run before the release.
        for (QPushButton* button : {stop_, resume_, again_, compare_}) {
            connect(button, &QPushButton::pressed, this, [this] { pressedRun_ = session_.currentId(); });
        }
        connect(stop_, &QPushButton::clicked, this, [this] { stop(pressedRun_); });
        connect(resume_, &QPushButton::clicked, this, [this] { context_.engine.resume(pressedRun_); });
        connect(again_, &QPushButton::clicked, this, [this] { runAgain(); });
        connect(compare_, &QPushButton::clicked, this, [this] {
            if (session_.isComparing()) {
                session_.compare({});
            } else {
                compareExperiment();
            }
        });
    }

    void stop(const QString& run) {
        stopping_ = run;
        context_.engine.stop(stopping_);
        showRun();
    }

    void runAgain() {
        const RunItemPtr run = session_.runs().find(pressedRun_);
        if (!run) return;
        context_.draft.take(startFrom(*run, session_.feed().workspace()));
        context_.draft.run(Engine::Order::Now);
    }

    void compareExperiment() {
        const RunItemPtr run = session_.runs().find(pressedRun_);
        if (!run) return;
        const ExperimentRuns compared = comparedWith(*run, session_.runs().items());
        QStringList ids;
        for (const RunItemPtr& one : compared.runs) ids << one->id;
        session_.setComparison(ids, compared.filter);
        context_.open("Compare");
    }

    void showNoRun() {
        for (QWidget* action : {stop_, resume_, again_}) action->setVisible(false);
        if (!session_.error().isEmpty()) {
            title_->setText(tr("The workspace cannot be read"));
            cluster_->clear();
        } else if (session_.currentId().isEmpty()) {
            const bool starting = session_.isStarting();
            title_->setText(starting            ? tr("Starting …")
                            : session_.loaded() ? tr("No run yet")
                                                : tr("Reading the workspace …"));
            cluster_->setText(starting ? tr("The ranks load the model and the data.")
                                       : tr("Set one up on the Experiment page (Ctrl+1)."));
        } else {
            title_->setText(tr("%1 is not in this workspace").arg(session_.currentId()));
            cluster_->setText(tr("Choose another on the Runs page (Ctrl+2)."));
        }
        progress_->clear();
        drawn_->clear();
    }

    void showRun() {
        const RunItemPtr run = session_.current();
        for (QWidget* action : {stop_, resume_, again_, compare_}) action->setEnabled(run != nullptr);
        export_->setEnabled(run != nullptr && !exporter_->busy());
        pill_->setVisible(run != nullptr);
        title_->setToolTip(run ? asTip(runTitle(run->row) + u'\n' + run->id) : QString());
        if (!run) return showNoRun();
        const storage::RunRow& row = run->row;
        title_->setText(runTitle(row));
        pill_->setState(stateInWords(row));
        cluster_->setText(clusterWords(row, session_.detail()));
        progress_->setText(session_.detail() ? progressWords(row, *session_.detail()) : QString());
        drawn_->setText(drawnWords(session_));
        const bool stopping = stopping_ == run->id;
        stop_->setText(stopping ? tr("Stopping …") : tr("Stop"));
        stop_->setEnabled(!stopping);
        stop_->setVisible(isLive(row));
        // What was stopped is seen for a moment before the next run of a sweep is followed.
        if (stopping && isLive(row)) session_.touched();
        resume_->setVisible(!resumable({run}).isEmpty());
        again_->setVisible(!isLive(row) && !row.imported() && !isOfJob(row));
        compare_->setText(session_.isComparing() ? tr("End comparison") : tr("Compare"));
        // Said once, so that it stays dismissed.
        const QString end = row.error.empty() ? QString() : run->id + u' ' + endInWords(*run);
        if (std::exchange(saidEnd_, end) != end) message_->say(end.isEmpty() ? session_.error() : endInWords(*run));
        showRowFigures(*run);
        showCurveFigures();
    }

    void showRowFigures(const RunItem& run) {
        showOverlap(run);
        sent_->setQuantity(bytesInWords(static_cast<double>(run.row.bytesSent) / std::max(1, run.row.workers)));
    }

    // Speed, hidden and blocked. The run's own numbers come from timed windows, of which the first ends with the first
    // evaluation; until then numbers of the newest spans are shown and marked "now".
    void showOverlap(const RunItem& run) {
        const storage::RunRow& row = run.row;
        const bool now = ranks_.runId == run.id && !ranks_.now.empty();
        speed_->setQuantity(speedInWords(row.samplesPerS, now ? ranks_ : RankStates{}));
        if (row.hidden || !now || !ranks_.hidden) {
            hidden_->setQuantity({percent(row.hidden), row.hidden ? QStringLiteral("%") : QString()},
                                 row.hidden.value_or(0) >= 0.95 ? "good" : "");
        } else {
            hidden_->setQuantity({percent(ranks_.hidden), tr("% now")});
        }
        const auto blocked = RunTableModel::numberOf(run, RunTableModel::Blocked);
        if (blocked || !now) {
            blocked_->setQuantity({blocked ? shortNumber(*blocked, *blocked < 10 ? 2 : 3) : kAbsent,
                                   blocked ? QStringLiteral("ms/step") : QString()});
        } else {
            double sum = 0;
            for (const RankNow& rank : ranks_.now) sum += rank.blocked;
            blocked_->setQuantity({percent(sum / static_cast<double>(ranks_.now.size())), tr("% of time, now")});
        }
    }

    void showCurveFigures() {
        showLoss();
        const Series& accuracy = session_.series(session_.currentId(), metrics::kEvalAccuracy);
        accuracy_->setQuantity(accuracy.empty()
                                   ? Quantity{kAbsent, {}}
                                   : Quantity{percent(accuracy.points().back().value), QStringLiteral("%")});
    }

    [[nodiscard]] bool isOfTest(const RunItem& run) const {
        return !session_.series(run.id, metrics::kEvalLoss).empty();
    }
    // True if the final loss is the last training loss. An absent evaluation proves nothing while evaluations are still
    // being read, so the values are compared.
    [[nodiscard]] bool isOfTraining(const RunItem& run) const {
        const auto& points = session_.series(run.id, metrics::kTrainLoss).points();
        const double last = finalLossOf(run.row).value_or(0);
        return !points.empty() && std::abs(points.back().value - last) <= 1e-9 * std::abs(last);
    }

    // Shows the final loss of an ended run, named as in the tables; before that the smoothed training loss.
    void showLoss() {
        const RunItemPtr run = session_.current();
        if (run && !isLive(run->row)) {
            const auto last = finalLossOf(run->row);
            const bool finite = last && std::isfinite(*last);
            const QString which = !finite              ? QString()
                                  : isOfTest(*run)     ? tr("test")
                                  : isOfTraining(*run) ? tr("training")
                                                       : QString();
            loss_->setLabel(tr("final loss"),
                            RunTableModel::headerOf(RunTableModel::FinalLoss, Qt::ToolTipRole).toString());
            return loss_->setQuantity({last ? shortNumber(*last) : kAbsent, which});
        }
        loss_->setLabel(
            tr("training loss"),
            tr("Mean over the ranks, as a moving average of weight 0.9: one minibatch says little. Once the "
               "run has ended, its final loss stands here"));
        const Series& loss = session_.series(session_.currentId(), metrics::kTrainLoss);
        const std::optional<double> value = newestSmoothed(loss, smoothingAt(kUsualSmoothing));
        loss_->setQuantity({value ? shortNumber(*value) : kAbsent, {}});
    }

    // Name and figure of the chart or graph that has the focus, else of the first chart.
    std::optional<std::pair<QString, FigureSpec>> figureOfOne() {
        message_->clear();
        if (session_.shown().empty()) return std::nullopt;
        if (graph_->isAncestorOf(QApplication::focusWidget())) {
            if (const auto graph = figureOfGraph(session_, graph_->round().value()))
                return std::pair(graph->title, *graph);
        }
        ChartCard* chart = charts_.front();
        for (ChartCard* one : charts_) {
            if (one->isAncestorOf(QApplication::focusWidget())) chart = one;
        }
        const auto figure = figureOfChart(*chart, session_);
        if (figure) return std::pair(figure->title, *figure);
        message_->say(QString::fromStdString(figure.error().message));
        return std::nullopt;
    }

    void exportShown() {
        message_->clear();
        if (session_.shown().empty()) return;
        std::vector<NamedFigure> figures;
        QString besides;
        for (ChartCard* chart : charts_) {
            const auto figure = figureOfChart(*chart, session_);
            if (figure) figures.push_back({figure->metric, *figure});
            if (!figure) besides += QStringLiteral(". ") + QString::fromStdString(figure.error().message);
        }
        if (const auto timeline = figureOfTimeline(session_)) figures.push_back({tr("timeline"), *timeline});
        if (const auto graph = figureOfGraph(session_, graph_->round().value()))
            figures.push_back({tr("graph"), *graph});
        exporter_->writeShown(session_.currentId(), figures, besides);
    }

    PageContext& context_;
    Session& session_;
    QLabel* title_ = nullptr;
    StatePill* pill_ = nullptr;
    QLabel *cluster_ = nullptr, *progress_ = nullptr, *drawn_ = nullptr;
    MessageBar* message_ = nullptr;
    QToolButton* export_ = nullptr;
    FigureExport* exporter_ = nullptr;
    QPushButton *stop_ = nullptr, *resume_ = nullptr, *again_ = nullptr;
    QPushButton* compare_ = nullptr;
    KeyFigure *loss_ = nullptr, *accuracy_ = nullptr, *speed_ = nullptr, *hidden_ = nullptr, *blocked_ = nullptr,
              *sent_ = nullptr;
    QGridLayout* grid_ = nullptr;
    std::vector<ChartCard*> charts_;
    int columns_ = 0;
    QBoxLayout* below_ = nullptr;
    GraphCard* graph_ = nullptr;
    RankStates ranks_;
    TimelineCard* timeline_ = nullptr;
    QString pressedRun_;
    QString stopping_;  // id of the run that was asked to stop
    QString saidEnd_;   // run and reason of the end that the message bar was given
    Throttle runPace_{kFiguresPauseMs, [this] { showRun(); }};
    Throttle curvePace_{kFiguresPauseMs, [this] { showCurveFigures(); }};
};

const PageRegistry::Add<RunPage> kRunPageEntry{
    {.order = 20,
     .title = "Run",
     .icon = "M1.5 1.5h7a1 1 0 0 1 1 1v2a1 1 0 0 1-1 1h-7a1 1 0 0 1-1-1v-2a1 1 0 0 1 1-1z"
             "M6.5 9.5h7a1 1 0 0 1 1 1v2a1 1 0 0 1-1 1h-7a1 1 0 0 1-1-1v-2a1 1 0 0 1 1-1z"
             "M12 3.5h2.5M.5 11.5H3"}};

}  // namespace

}  // namespace dasgd::gui
