// Every run of the workspace: sorted, filtered, live. Enter opens one, several are compared.
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QShortcut>
#include <QStackedLayout>
#include <QTableView>
#include <QVBoxLayout>

#include "gui/models/runs/run_filter.h"
#include "gui/pages/page.h"
#include "gui/widgets/parts.h"
#include "gui/widgets/run_delegate.h"

namespace dasgd::gui {

namespace {

constexpr int kRowHeight = 36;

class RunsPage : public QWidget {
public:
    explicit RunsPage(PageContext& context)
        : context_(context), session_(context.session), filter_(new RunFilter(&session_.runs(), this)) {
        setObjectName(QStringLiteral("page"));
        auto* column = new QVBoxLayout(this);
        column->setContentsMargins(24, 18, 24, 18);
        column->setSpacing(kGap);
        column->addLayout(makeHeader());
        column->addWidget(message_ = new MessageBar(context.look));
        column->addWidget(field_ = makeFilter());
        body_ = new QStackedLayout;
        body_->addWidget(makeTable());
        body_->addWidget(makeEmpty());
        column->addLayout(body_, 1);
        connectAll();
        update();
    }

private:
    QHBoxLayout* makeHeader() {
        auto* words = new QVBoxLayout;
        words->setSpacing(4);
        words->addWidget(makeLabel(tr("Runs"), "title"));
        words->addWidget(summary_ = makeLabel({}, "small"));
        auto* header = new QHBoxLayout;
        header->setSpacing(9);
        header->addLayout(words, 1);
        stop_ = makeButton(tr("Stop"), false,
                           tr("Stop the chosen runs: all ranks end at one step, what was recorded is kept"));
        compare_ = makeButton(tr("Compare"), false, tr("Draw the chosen runs together  Ctrl+Enter"));
        start_ = makeButton(tr("▸  New run"), true, tr("Set up an experiment, from a preset or from a run  Ctrl+N"));
        for (QPushButton* button : {stop_, compare_, start_}) header->addWidget(button, 0, Qt::AlignTop);
        return header;
    }

    QLineEdit* makeFilter() {
        auto* field = new QLineEdit;
        field->setPlaceholderText(tr("Filter: words, -without, loss<0.1, hidden>=99, status=running"));
        field->setToolTip(
            tr("Every word must be found in a run; fields: status experiment algorithm seed ranks backend wall steps "
               "loss accuracy hidden blocked samples/s  Ctrl+F"));
        field->setClearButtonEnabled(true);
        field->setAccessibleName(tr("Filter runs"));
        return field;
    }

    QWidget* makeTable() {
        auto* card = new Card;
        card->body().setContentsMargins(1, 6, 1, 6);
        table_ = new QTableView;
        table_->setModel(filter_);
        table_->setItemDelegate(new RunDelegate(session_, context_.look, table_));
        table_->setSelectionBehavior(QAbstractItemView::SelectRows);
        table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
        table_->setShowGrid(false);
        table_->setWordWrap(false);
        table_->setSortingEnabled(true);
        table_->sortByColumn(RunTableModel::Started, Qt::DescendingOrder);
        table_->setTabKeyNavigation(false);
        table_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
        table_->verticalHeader()->hide();
        table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
        table_->verticalHeader()->setDefaultSectionSize(kRowHeight);
        table_->horizontalHeader()->setHighlightSections(false);
        table_->horizontalHeader()->setStretchLastSection(true);
        const int widths[] = {118, 112, 124, 130, 60, 56, 76, 124, 60, 68, 82, 80, 70, 90, 86};
        for (int i = 0; i < RunTableModel::kColumns; ++i) table_->setColumnWidth(i, widths[i]);
        table_->setAccessibleName(tr("Runs"));
        card->body().addWidget(table_);
        return card;
    }

    QWidget* makeEmpty() {
        auto* card = new Card;
        card->body().addStretch();
        emptyTitle_ = makeLabel({}, "title");
        emptyTitle_->setAlignment(Qt::AlignCenter);
        emptyWords_ = makeLabel({}, "muted");
        emptyWords_->setAlignment(Qt::AlignCenter);
        emptyWords_->setWordWrap(true);
        emptyWords_->setTextInteractionFlags(Qt::TextSelectableByMouse);
        card->body().addWidget(emptyTitle_);
        card->body().addWidget(emptyWords_);
        card->body().addStretch();
        return card;
    }

    void connectAll() {
        connect(field_, &QLineEdit::textChanged, this, [this](const QString& text) {
            filter_->setFilter(text);
            update();
        });
        connect(&session_, &Session::runsChanged, this, [this] { update(); });
        connect(&session_, &Session::errorChanged, this, [this] {
            // Without a run the page itself says it.
            message_->say(session_.runs().rowCount() > 0 ? session_.error() : QString());
            update();
        });
        connect(&context_.engine, &Engine::failed, this, [this](const QString& message) { message_->say(message); });
        connect(&context_.engine, &Engine::started, this, [this](const QString& file) {
            message_->say(tr("Started %1: its runs appear here and on the Run page.").arg(QFileInfo(file).fileName()),
                          MessageBar::Kind::Note);
        });
        connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] { updateActions(); });
        connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) { openRun(index); });
        connect(compare_, &QPushButton::clicked, this, [this] { compare(); });
        connect(stop_, &QPushButton::clicked, this, [this] {
            for (const QString& run : chosen(true)) context_.engine.stop(run);
        });
        connect(start_, &QPushButton::clicked, this, [this] { context_.open("Experiment"); });
        const auto shortcut = [this](const char* keys, auto&& what) {
            auto* key = new QShortcut(QKeySequence(QLatin1String(keys)), this);
            connect(key, &QShortcut::activated, this, what);
        };
        shortcut("Ctrl+F", [this] { field_->setFocus(); });
        shortcut("Ctrl+N", [this] { context_.open("Experiment"); });
        shortcut("Ctrl+Return", [this] { compare(); });
        setFocusProxy(table_);
    }

    QStringList chosen(bool liveOnly) const {
        QStringList ids;
        for (const QModelIndex& index : table_->selectionModel()->selectedRows()) {
            if (!liveOnly || index.data(RunTableModel::LiveRole).toBool())
                ids << index.data(RunTableModel::IdRole).toString();
        }
        return ids;
    }

    void openRun(const QModelIndex& index) {
        session_.compare({});
        session_.choose(index.data(RunTableModel::IdRole).toString());
        context_.open("Run");
    }

    void compare() {
        const QStringList ids = chosen(false);
        if (ids.size() < 2) return;
        session_.compare(ids);
        context_.open("Run");
    }

    void updateActions() {
        compare_->setEnabled(chosen(false).size() > 1);
        stop_->setEnabled(!chosen(true).isEmpty());
    }

    void update() {
        const int all = session_.runs().rowCount();
        const int shown = filter_->rowCount();
        int live = 0;
        for (const RunItemPtr& run : session_.runs().items()) live += isLive(run->row) ? 1 : 0;
        QStringList words{all == 1 ? tr("1 run") : tr("%1 runs").arg(grouped(all))};
        if (live > 0) words << tr("%1 live").arg(live);
        if (shown != all) words << tr("%1 shown").arg(grouped(shown));
        summary_->setText(words.join(QStringLiteral("  ·  ")));
        if (!session_.error().isEmpty() && all == 0) {
            emptyTitle_->setText(tr("The workspace cannot be read"));
            emptyWords_->setText(session_.error());
        } else if (all == 0) {
            emptyTitle_->setText(session_.loaded() ? tr("No runs yet") : tr("Reading the workspace …"));
            emptyWords_->setText(
                tr("Start one with New run (Ctrl+N), or in a shell:  dasgd run FILE.toml --workspace %1")
                    .arg(QString::fromStdString(session_.feed().workspace().string())));
        } else {
            emptyTitle_->setText(tr("No run matches the filter"));
            emptyWords_->setText(
                tr("%1 runs are hidden by “%2”. Clear the filter to see them.").arg(grouped(all)).arg(field_->text()));
        }
        body_->setCurrentIndex(shown == 0 ? 1 : 0);
        updateActions();
    }

    PageContext& context_;
    Session& session_;
    RunFilter* filter_;
    QLabel* summary_ = nullptr;
    QLineEdit* field_ = nullptr;
    MessageBar* message_ = nullptr;
    QTableView* table_ = nullptr;
    QStackedLayout* body_ = nullptr;
    QLabel* emptyTitle_ = nullptr;
    QLabel* emptyWords_ = nullptr;
    QPushButton* stop_ = nullptr;
    QPushButton* compare_ = nullptr;
    QPushButton* start_ = nullptr;
};

const PageRegistry::Add<RunsPage> kRunsPageEntry{
    {.order = 10, .title = "Runs", .icon = "M1 2.5h.01M5 2.5h10M1 7.5h.01M5 7.5h10M1 12.5h.01M5 12.5h10"}};

}  // namespace

}  // namespace dasgd::gui
