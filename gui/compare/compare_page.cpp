// Comparison of configurations: mean and spread over their seeds, with a bar above that names the runs left out. The
// legend chooses the configurations that plots, bars, map and table show.
#include <QGridLayout>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QShortcut>
#include <QStackedLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/base/metric_names.h"
#include "gui/compare/compare_cards.h"
#include "gui/compare/compare_chart.h"
#include "gui/compare/compare_legend.h"
#include "gui/compare/compare_table.h"
#include "gui/compare/left_out_bar.h"
#include "gui/data/session/session.h"
#include "gui/figures/export/figure_action.h"
#include "gui/figures/export/figure_export.h"
#include "gui/kit/parts/keyed_action.h"
#include "gui/kit/parts/page.h"
#include "gui/kit/theme/theme.h"

namespace dasgd::gui {
namespace {

constexpr int kCompareLegendWidth = 290;
constexpr int kRoomyCompare = 1180;  // width of the page from which the legend is open by default
constexpr int kTwoPlots = 760;       // least width of the cards for two plots in a row
constexpr int kPlotHeight = 230, kTableHeight = 240;
constexpr qsizetype kMostNamedRuns = 2;

class ComparePage : public QWidget {
public:
    explicit ComparePage(PageContext& context) : context_(context), session_(context.session), board_(context.session) {
        setObjectName(QStringLiteral("page"));
        setAttribute(Qt::WA_StyledBackground);
        auto* column = new QVBoxLayout(this);
        column->setContentsMargins(24, 18, 24, 0);
        column->setSpacing(kGap);
        column->addLayout(makeHeader());
        column->addWidget(message_ = new MessageBar(context.look));
        exporter_ = new FigureExport(session_, *export_, *message_, this);
        column->addWidget(leftOut_ = new LeftOutBar(context.look));
        // The layout needs a parent first: it shows its first widget at once, which otherwise would open as a window.
        column->addLayout(body_ = new QStackedLayout, 1);
        body_->addWidget(parts_ = makeBody());
        body_->addWidget(makeEmpty());
        connectAll();
        addKeys();
        if (!session_.comparison().isEmpty()) takeComparison();
        update();
    }

    // The widgets are deleted before the board, which they use.
    ~ComparePage() override { delete parts_; }

protected:
    void showEvent(QShowEvent* event) override {
        QWidget::showEvent(event);
        board_.choice.setWatching(true);
        update();
    }
    void hideEvent(QHideEvent* event) override {
        QWidget::hideEvent(event);
        board_.choice.setWatching(false);
    }
    void resizeEvent(QResizeEvent* event) override {
        QWidget::resizeEvent(event);
        const bool roomy = width() >= kRoomyCompare;
        if (std::exchange(roomy_, roomy) != roomy) drawer_->setChecked(roomy);
        arrange();
    }

private:
    QVBoxLayout* makeHeader() {
        auto* top = new QHBoxLayout;
        top->setSpacing(9);
        title_ = makeElasticLabel("title");
        top->addWidget(title_, 1);
        drawer_ = toggle(tr("☰ legend"), tr("The configurations beside the plots  Ctrl+I"));
        seeds_ = toggle(tr("seeds"), tr("Every seed thin behind its mean"));
        QToolButton* figure = makeFigureButton(context_, [this] { return figureOfChart(); });
        copy_ = makeButton(tr("Copy table"), false,
                           tr("Copy it as text and CSV, for a paper or a spreadsheet  Ctrl+Shift+C"));
        choose_ = makeButton(tr("Choose runs"), true, tr("Choose rows of the Runs page, then Ctrl+Enter"));
        export_ = makeExportButton(*this);
        for (auto* each : std::initializer_list<QWidget*>{drawer_, seeds_, figure, export_, copy_, choose_})
            top->addWidget(each);
        return makePageHeader(top, summary_ = makeElasticLabel("small"));
    }

    // True if any configuration is shown; otherwise a message says that there is nothing to make a figure of.
    bool isAnyShown() {
        message_->clear();
        if (board_.choice.groups().empty()) return false;  // the empty page tells the user what to do
        if (!board_.choice.shown().empty()) return true;
        message_->say(tr("No figure. %1").arg(kNothingShown));
        return false;
    }

    void exportShown() {
        if (!isAnyShown()) return;
        std::vector<NamedFigure> figures;
        for (const CompareChart* chart : {first_, second_})
            figures.push_back({QString::fromStdString(chart->key().metric), chart->figure()});
        QString besides;
        for (const Result<FigureSpec>& spec : {bars_->figure(), map_->figure()}) {
            if (spec) figures.push_back({kindWords()[static_cast<int>(spec->kind)], *spec});
            if (!spec) besides += tr(". Not of one card: %1").arg(QString::fromStdString(spec.error().message));
        }
        exporter_->writeShown(board_.choice.title(), figures, besides);
    }

    // Name and figure of the chart that has the focus, else of the first chart.
    std::optional<std::pair<QString, FigureSpec>> figureOfChart() {
        if (!isAnyShown()) return std::nullopt;
        const QWidget* focused = window()->focusWidget();
        const auto holds = [focused](const QWidget* card) { return focused && card->isAncestorOf(focused); };
        const Result<FigureSpec> spec = holds(bars_)  ? bars_->figure()
                                        : holds(map_) ? map_->figure()
                                                      : (holds(second_) ? second_ : first_)->figure();
        if (spec) return std::pair(spec->title, *spec);
        message_->say(tr("No figure of this card: %1").arg(QString::fromStdString(spec.error().message)));
        return std::nullopt;
    }

    static QToolButton* toggle(const QString& text, const QString& help) {
        QToolButton* button = makeQuietButton(text, help);
        button->setCheckable(true);
        return button;
    }

    QWidget* makeBody() {
        auto* body = new QWidget;
        auto* row = new QHBoxLayout(body);
        row->setContentsMargins(0, 0, 0, 16);
        row->setSpacing(kGap);
        legend_ = new CompareLegend(board_, context_.look);
        legend_->setFixedWidth(kCompareLegendWidth);
        legend_->hide();
        row->addWidget(legend_);
        scroll_ = new QScrollArea;
        scroll_->setObjectName(QStringLiteral("page"));
        scroll_->setFrameShape(QFrame::NoFrame);
        scroll_->setWidgetResizable(true);
        scroll_->setFocusPolicy(Qt::NoFocus);
        auto* inner = new QWidget;
        inner->setObjectName(QStringLiteral("page"));
        scroll_->setWidget(inner);
        auto* column = new QVBoxLayout(inner);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(kGap);
        grid_ = new QGridLayout;
        grid_->setSpacing(kGap);
        first_ = new CompareChart(metrics::kTrainLoss, XAxis::Training, board_, context_.look);
        second_ = new CompareChart(metrics::kEvalAccuracy, XAxis::Training, board_, context_.look);
        bars_ = new CompareBars(board_, context_.look);
        map_ = new CompareMap(board_, context_.look);
        cards_ = {first_, second_, bars_, map_};
        column->addLayout(grid_, 7);
        table_ = new CompareTable(board_, context_.look);
        table_->setMinimumHeight(kTableHeight);
        column->addWidget(table_, 3);
        row->addWidget(scroll_, 1);
        return body;
    }

    QWidget* makeEmpty() {
        auto* buttons = new QHBoxLayout;
        buttons->setContentsMargins(0, 10, 0, 0);
        buttons->setSpacing(9);
        buttons->addStretch();
        newest_ = makeButton(tr("Newest experiment"), true,
                             tr("Compare all configurations of the experiment that started last"));
        auto* choose = makeButton(tr("Choose runs"), false, tr("On the Runs page: choose rows, then Ctrl+Enter"));
        buttons->addWidget(newest_);
        buttons->addWidget(choose);
        buttons->addStretch();
        connect(newest_, &QPushButton::clicked, this, [this] {
            board_.choice.takeNewestExperiment();
            legend_->setFocus();
        });
        connect(choose, &QPushButton::clicked, this, [this] { context_.open("Runs"); });
        empty_ = new EmptyCard;
        empty_->addRow(buttons);
        auto* around = new QWidget;
        auto* layout = new QVBoxLayout(around);
        layout->setContentsMargins(0, 0, 0, 16);
        layout->addWidget(empty_);
        return around;
    }

    void connectAll() {
        connect(&board_.choice, &CompareChoice::shownChanged, this, [this] { update(); });
        connect(&board_.results, &CompareResults::comparedChanged, this, [this] { update(); });
        connect(&board_.curves, &CompareCurves::curvesChanged, this, [this] { update(); });
        connect(&board_.curves, &CompareCurves::cursorChanged, this, [this] { update(); });
        connect(&session_, &Session::runsChanged, this, [this] { update(); });
        connect(&session_, &Session::errorChanged, this, [this] { update(); });
        connect(&session_, &Session::comparisonChanged, this, [this] { takeComparison(); });
        connect(drawer_, &QToolButton::toggled, this, [this](bool on) {
            // Otherwise the table would get the focus and highlight its first row.
            if (!on && legend_->isAncestorOf(window()->focusWidget())) first_->setFocus();
            legend_->setVisible(on);
            // Names, values and counts at the cursor stand in the legend; when it is closed, beside the pointer.
            for (CompareChart* chart : {first_, second_}) chart->plot().setTips(!on);
            arrange();
        });
        connect(seeds_, &QToolButton::toggled, this, [this](bool on) {
            for (CompareChart* chart : {first_, second_}) chart->setSeeds(on);
        });
        connect(copy_, &QPushButton::clicked, table_, &CompareTable::copy);
        connect(export_, &QToolButton::clicked, this, [this] { exportShown(); });
        connect(choose_, &QPushButton::clicked, this, [this] { context_.open("Runs"); });
        connect(&leftOut_->members(), &QToolButton::clicked, this, [this] {
            board_.curves.setMembers(board_.curves.members() == Members::Finished ? Members::AsFarAsAll
                                                                                  : Members::Finished);
        });
        connect(&leftOut_->run(), &QToolButton::clicked, this, [this] {
            const auto out = runsLeftOut(board_.choice.groups(), Members::Finished);
            if (!out.empty()) openRuns({out.front().run->id});
        });
        const auto open = [this](const QStringList& runs) { openRuns(runs); };
        connect(bars_, &CompareBars::opened, this, open);
        connect(map_, &CompareMap::opened, this, open);
        connect(table_, &CompareTable::opened, this, open);
        setFocusProxy(legend_);
    }

    void takeComparison() {
        exporter_->forget();
        board_.choice.setRuns(session_.comparison(), session_.comparisonFilter());
    }

    void addKeys() {
        const auto shortcut = [this](const char* keys, auto&& what) {
            auto* key = new QShortcut(QKeySequence(QLatin1String(keys)), this);
            connect(key, &QShortcut::activated, this, what);
        };
        addKeyedAction(*this, tr("Filter configurations"), {}, QKeySequence(QStringLiteral("Ctrl+F")), [this] {
            drawer_->setChecked(true);
            legend_->filter().setFocus();
        });
        shortcut("Ctrl+I", [this] { drawer_->toggle(); });
        shortcut("Ctrl+Shift+C", [this] { table_->copy(); });
        addKeyedAction(*this, tr("Next card"), {}, QKeySequence(Qt::Key_F6), [this] { nextCard(1); });
        addKeyedAction(*this, tr("Previous card"), {}, QKeySequence(Qt::SHIFT | Qt::Key_F6), [this] { nextCard(-1); });
    }

    void openRuns(const QStringList& runs) {
        if (runs.isEmpty()) return;
        session_.showTogether(runs);
        context_.open("Run");
    }

    // Moves the focus by `by` visible cards.
    void nextCard(int by) {
        std::vector<QWidget*> all{legend_};
        all.insert(all.end(), cards_.begin(), cards_.end());
        all.push_back(table_);
        std::erase_if(all, [](const QWidget* card) { return !card->isVisible(); });
        const auto holds = [](const QWidget* card) {
            const QWidget* focused = card->window()->focusWidget();
            return focused && (card == focused || card->isAncestorOf(focused));
        };
        const auto n = static_cast<int>(all.size());
        if (n == 0) return newest_->setFocus(Qt::ShortcutFocusReason);
        const auto at = static_cast<int>(std::find_if(all.begin(), all.end(), holds) - all.begin());
        QWidget* next = all[static_cast<std::size_t>(((at == n ? -1 : at) + by + n) % n)];
        next->setFocus(Qt::ShortcutFocusReason);
        scroll_->ensureWidgetVisible(next);
    }

    void arrange() {
        const int room = width() - 48 - (drawer_->isChecked() ? kCompareLegendWidth + kGap : 0);
        const int columns = room < kTwoPlots ? 1 : 2;
        if (columns == columns_) return;
        columns_ = columns;
        for (QWidget* card : cards_) grid_->removeWidget(card);
        for (std::size_t i = 0; i < cards_.size(); ++i) {
            const int at = static_cast<int>(i);
            grid_->addWidget(cards_[i], at / columns, at % columns);
        }
        for (int i = 0; i < 2; ++i) grid_->setColumnStretch(i, i < columns ? 1 : 0);
        for (int i = 0; i < 4; ++i) {
            const bool used = i * columns < 4;
            grid_->setRowStretch(i, !used ? 0 : i == 0 ? 6 : 5);
            // The minimum is set on the row: one set on a card would let the card be lower than its content.
            grid_->setRowMinimumHeight(i, used ? kPlotHeight : 0);
        }
    }

    QString summaryWords() const {
        std::size_t runs = 0, finished = 0;
        std::set<QString> origins;
        for (const CompareGroup& group : board_.choice.groups()) {
            runs += group.trainings();
            finished += group.finished();
            origins.insert(group.origin());
        }
        QStringList words{runs > finished ? tr("%1 of %2 runs").arg(finished).arg(runs)
                          : runs == 1     ? tr("1 run")
                                          : tr("%1 runs").arg(grouped(static_cast<qint64>(runs)))};
        if (board_.curves.members() == Members::AsFarAsAll)
            words.front() = tr("%1 of %2 runs in the curves of %3, %4 in the table")
                                .arg(board_.curves.runsInCurves())
                                .arg(runs)
                                .arg(wordsOf(board_.curves.cursorKey().metric).title.toLower())
                                .arg(finished);
        words << (board_.curves.spread() == Spread::None
                      ? tr("mean over seeds")
                      : tr("mean ± %1").arg(spreadOverSeeds(board_.curves.spread())));
        if (const auto baseline = board_.results.baseline())
            words << tr("baseline %1").arg(board_.choice.groups()[*baseline].name);
        if (const QString& cautions = board_.results.cautionsInWords(); !cautions.isEmpty())
            words.prepend(tr("⚠ ") + cautions);
        words << QStringList(origins.begin(), origins.end()).join(QStringLiteral(" and "));
        return words.join(QStringLiteral("  ·  "));
    }

    void sayLeftOut() {
        const QStringList lines = board_.results.leftOutInWords();
        leftOut_->setVisible(!lines.isEmpty() && !board_.choice.groups().empty());
        if (lines.isEmpty()) return;
        const bool all = board_.curves.members() == Members::AsFarAsAll;
        const auto out = runsLeftOut(board_.choice.groups(), board_.curves.members());
        QStringList unfinished = lines;
        const QString repeated = out.back().isMadeAgain ? unfinished.takeLast() : QString();
        QStringList named = unfinished.mid(0, kMostNamedRuns);
        if (unfinished.size() > kMostNamedRuns) named << tr("and %1 more").arg(unfinished.size() - kMostNamedRuns);
        if (!repeated.isEmpty()) named << repeated;
        QString text = named.join(QStringLiteral(";  "));
        if (!unfinished.isEmpty()) {
            text += all ? tr(". Curves end where the first of their seeds does; the table is of finished runs.")
                    : std::ranges::any_of(out, &LeftOutRun::isTaken)
                        ? tr(". Not finished runs are in means of configurations without a finished one only.")
                        : tr(". Not finished runs are in no mean.");
        }
        leftOut_->members().setVisible(all || anyGoesPartOfTheWay(board_.choice.groups()));
        leftOut_->say(text, lines.join(QLatin1Char('\n')));
        leftOut_->members().setText(all ? tr("take finished runs only") : tr("take all as far as all go"));
        leftOut_->run().setText(tr("show the run"));
    }

    void update() {
        const bool empty = board_.choice.groups().empty();
        body_->setCurrentIndex(empty ? 1 : 0);
        for (QWidget* each : std::initializer_list<QWidget*>{drawer_, seeds_, copy_, choose_}) each->setVisible(!empty);
        copy_->setEnabled(!empty);
        sayLeftOut();
        if (!empty) {
            title_->setText(board_.choice.title() + tr("  /  ") +
                            counted(std::ssize(board_.choice.groups()), "configuration"));
            summary_->setText(summaryWords());
            return;
        }
        title_->setText(tr("Compare"));
        summary_->clear();
        const bool any = session_.runs().rowCount() > 0;
        const bool could = newest_->isEnabled();
        newest_->setEnabled(any);
        // A page opened before the runs were read had no widget that could take the focus.
        const QWidget* focused = window()->focusWidget();
        const bool has = focused && focused->isVisible() && isAncestorOf(focused);
        if (any && !could && isVisible() && !has) newest_->setFocus();
        if (!session_.error().isEmpty()) {
            empty_->say(tr("The workspace cannot be read"), session_.error());
        } else {
            empty_->say(any                 ? tr("Choose runs, or the newest experiment")
                        : session_.loaded() ? tr("No runs yet")
                                            : tr("Reading the workspace …"),
                        any ? tr("Runs that differ in nothing but their seeds become one curve: mean, spread and n.")
                            : tr("Set one up on the Experiment page (Ctrl+1)."));
        }
    }

    PageContext& context_;
    Session& session_;
    CompareBoard board_;
    QLabel *title_ = nullptr, *summary_ = nullptr;
    EmptyCard* empty_ = nullptr;
    QToolButton *drawer_ = nullptr, *seeds_ = nullptr, *export_ = nullptr;
    FigureExport* exporter_ = nullptr;
    QPushButton *copy_ = nullptr, *choose_ = nullptr, *newest_ = nullptr;
    MessageBar* message_ = nullptr;
    LeftOutBar* leftOut_ = nullptr;
    QWidget* parts_ = nullptr;
    QStackedLayout* body_ = nullptr;
    QScrollArea* scroll_ = nullptr;
    QGridLayout* grid_ = nullptr;
    CompareLegend* legend_ = nullptr;
    CompareChart *first_ = nullptr, *second_ = nullptr;
    CompareBars* bars_ = nullptr;
    CompareMap* map_ = nullptr;
    CompareTable* table_ = nullptr;
    std::vector<QWidget*> cards_;
    int columns_ = 0;
    bool roomy_ = false;
};

const PageRegistry::Add<ComparePage> kComparePageEntry{
    {.order = 27, .title = "Compare", .icon = "M.5 12.5C4 12.5 5 4 14.5 3M.5 9.5C5 9.5 6 8 14.5 8"}};

}  // namespace
}  // namespace dasgd::gui
