// Table of all runs of the workspace: sorted, filtered, live. Enter opens a run; several chosen ones are compared.
#include <QClipboard>
#include <QDesktopServices>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSplitter>
#include <QStackedLayout>
#include <QThreadPool>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/data/feed/run_marks.h"
#include "gui/data/session/engine.h"
#include "gui/data/session/session.h"
#include "gui/experiment/model/experiment_draft.h"
#include "gui/figures/export/figure_action.h"
#include "gui/kit/parts/button_key.h"
#include "gui/kit/parts/keyed_action.h"
#include "gui/kit/parts/page.h"
#include "gui/kit/parts/parts.h"
#include "gui/kit/theme/theme.h"
#include "gui/run/log_card.h"
#include "gui/run/queue_actions.h"
#include "gui/run/run_words.h"
#include "gui/runs/csv_of_runs.h"
#include "gui/runs/group_button.h"
#include "gui/runs/model/run_list_model.h"
#include "gui/runs/queue_bar.h"
#include "gui/runs/run_delegate.h"
#include "gui/runs/run_drawer.h"
#include "gui/runs/run_table.h"
#include "gui/runs/run_view_keeper.h"
#include "gui/scaling/reports/job_action.h"
#include "storage/write/store.h"

namespace dasgd::gui {
namespace {

class RunsPage : public QWidget {
public:
    explicit RunsPage(PageContext& context)
        : context_(context),
          session_(context.session),
          notes_(session_.feed().query<NotesQuery>()),
          list_(new RunListModel(session_.runs(), this)) {
        setObjectName(QStringLiteral("page"));
        auto* column = padded(spaced(new QVBoxLayout(this), kGap), {24, 18, 24, 18});
        column->addLayout(makeHeader());
        column->addWidget(message_ = new MessageBar(context.look));
        column->addWidget(new QueueBar(session_.feed().query<QueueQuery>(), context.engine, context.look));
        column->addLayout(makeFilterRow());
        column->addWidget(filterError_ = makeLabel({}, "bad"));
        filterError_->setWordWrap(true);
        filterError_->hide();
        auto* list = new QWidget;
        // The layout needs a parent first: it shows its first widget at once, which otherwise would open as a window.
        body_ = new QStackedLayout(list);
        body_->addWidget(makeTable());
        body_->addWidget(empty_ = new EmptyCard);
        body_->setContentsMargins(0, 0, 0, 0);
        auto* split = new QSplitter;
        split->setChildrenCollapsible(false);
        split->setHandleWidth(kGap);
        split->addWidget(list);
        split->addWidget(drawer_ = new RunDrawer(session_, context.look, context.engine.program()));
        split->setSizes({1200, 340});
        split->setStretchFactor(0, 1);
        drawer_->setMinimumWidth(280);
        drawer_->hide();
        column->addWidget(split, 1);
        connectAll();
        new RunViewKeeper(session_.feed().workspace(), *list_, *field_, *groups_, *table_);
        sayError();
    }

    // The table is deleted before the list model, which it uses.
    ~RunsPage() override {
        counter_.waitForDone();
        delete table_;
    }

private:
    QHBoxLayout* makeHeader() {
        auto* words = spaced(new QVBoxLayout, 4);
        words->addWidget(makeLabel(tr("Runs"), "title"));
        words->addWidget(summary_ = makeLabel({}, "small"));
        auto* header = spaced(new QHBoxLayout, 9);
        header->addLayout(words, 1);
        stop_ = makeButton(tr("Stop"), false,
                           tr("Stop the chosen runs: all ranks end at one step, what was recorded is kept"));
        compare_ = makeButton(tr("Compare"), false,
                              tr("Put the chosen runs beside each other on the Compare page  Ctrl+Enter"));
        start_ = makeButton(tr("▸  New run"), true, tr("Set up an experiment, from a preset or from a run  Ctrl+N"));
        for (QPushButton* button : {stop_, compare_, start_}) header->addWidget(button, 0, Qt::AlignTop);
        return header;
    }

    QHBoxLayout* makeFilterRow() {
        columns_ = makeMenuButton(tr("columns ▾"), tr("Choose columns; also a right click on the header"));
        auto* row = spaced(new QHBoxLayout, kGap);
        row->addWidget(field_ = makeFilter(), 1);
        row->addWidget(groups_ = new GroupButton(*list_));
        row->addWidget(columns_);
        csv_ = new CsvAction(
            context_, this, [this] { return csvOfRuns(*list_, *table_->horizontalHeader()); },
            [this](const QString& words, MessageBar::Kind kind) { message_->say(words, kind); });
        QToolButton* files = makeExportMenu(*this);
        files->menu()->addAction(csv_);
        row->addWidget(files);
        about_ = makeQuietButton(
            tr("about ▸"),
            tr("Tags, note, origin and configuration of the chosen run, or what several differ in  Ctrl+I"));
        about_->setCheckable(true);
        row->addWidget(about_);
        return row;
    }

    QLineEdit* makeFilter() {
        auto* field = new QLineEdit;
        field->setPlaceholderText(tr("Filter: words, or  algorithm = dasgd and delay >= 3 and hidden > 90 %"));
        field->setToolTip(asTip(filterHelp() + tr("  Ctrl+F")));
        field->setClearButtonEnabled(true);
        field->setAccessibleName(tr("Filter runs"));
        return field;
    }

    QWidget* makeTable() {
        auto* card = new Card;
        card->body().setContentsMargins(1, 6, 1, 6);
        table_ = new RunTable(*list_, context_.look);
        table_->setItemDelegate(new RunDelegate(session_, context_.look, table_));
        table_->setAccessibleName(tr("Runs"));
        table_->setContextMenuPolicy(Qt::CustomContextMenu);
        card->body().addWidget(table_);
        return card;
    }

    void connectAll() {
        connect(field_, &QLineEdit::textChanged, this, [this](const QString& text) {
            list_->setFilter(text);
            update();
        });
        connect(list_, &RunListModel::updated, this, [this] { update(); });
        connect(&session_, &Session::runsChanged, this, [this] { update(); });
        connect(&session_.feed().query<QueueQuery>(), &QueueQuery::changed, this, [this](const QueueState& state) {
            queue_ = state;
            update();
        });
        connect(&session_, &Session::errorChanged, this, [this] { sayError(); });
        connect(&context_.engine, &Engine::failed, this, [this](const QString& message, const Engine::About& about) {
            if (!isVisible()) return;
            cameTooLate(session_, about) ? sayDone(message) : say(message);
        });
        connect(&context_.engine, &Engine::started, this, [this](const QString& file, Engine::Order order) {
            const QString words = order == Engine::Order::Queued ? tr("Queued %1: its runs wait their turn%2")
                                                                 : tr("Started %1: its runs are on the Run page%2");
            const QString here = field_->text().isEmpty() ? tr(" and are here") : tr("; the filter may hide them here");
            sayDone(words.arg(QFileInfo(file).fileName(), here));
        });
        connect(groups_, &GroupButton::grouped, this, [this] { update(); });
        saying_.setSingleShot(true);
        connect(&saying_, &QTimer::timeout, this, [this] { sayDone({}); });
        connect(columns_->menu(), &QMenu::aboutToShow, this, [this] { table_->fillColumnMenu(*columns_->menu()); });
        connect(&table_->chosen(), &RunSelection::chosenChanged, this, [this] {
            // A message about other runs than those that are chosen now has ended.
            if (!saidOf_.isEmpty() && idsOf(chosenRuns()) != saidOf_) sayError();
            updateActions();
            showAbout();
        });
        connect(drawer_, &RunDrawer::logOpened, this, [this](const QString& run) {
            openRun(run);
            if (auto* log = window()->findChild<LogCard*>()) log->bringUp();
        });
        connect(about_, &QToolButton::toggled, this, [this](bool on) {
            about_->setText(on ? tr("about ▾") : tr("about ▸"));
            drawer_->setVisible(on);
            showAbout();
        });
        connect(table_, &RunTable::starClicked, this, [this](int row) { starRuns(notes_, list_->rowAt(row).runs()); });
        connect(table_, &QWidget::customContextMenuRequested, this,
                [this](const QPoint& at) { showMenu(table_->viewport()->mapToGlobal(at)); });
        connect(&notes_, &NotesQuery::failed, this, [this](const QString& message) { say(message); });
        connect(&notes_, &NotesQuery::changed, this, [this](const QString& words, bool undone) {
            sayDone(undone ? words : tr("%1. Ctrl+Z takes it back").arg(words));
        });
        connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) { openRow(index); });
        connect(compare_, &QPushButton::clicked, this, [this] { compare(); });
        connect(stop_, &QPushButton::clicked, this, [this] { context_.engine.stop(chosen(true)); });
        connect(start_, &QPushButton::clicked, this, [this] { context_.open("Experiment"); });
        addKeys();
    }

    void addKeys() {
        addButtonKey(QStringLiteral("Ctrl+N"), *start_, this);
        addButtonKey(QStringLiteral("Ctrl+Return"), *compare_, this);
        addButtonKey(QStringLiteral("Ctrl+I"), *about_, this);
        const auto named = [this](const QString& title, const QString& help, const char* keys, auto&& what) {
            addKeyedAction(*this, title, help, QKeySequence(QLatin1String(keys)), what);
        };
        named(tr("Filter the runs"), {}, "Ctrl+F", [this] { field_->setFocus(); });
        named(tr("Star or take the star away"), tr("The chosen runs"), "Ctrl+D",
              [this] { starRuns(notes_, chosenRuns()); });
        named(tr("Tags and note"), tr("Edit those of the chosen runs"), "Ctrl+G", [this] { editTags(); });
        named(tr("Take back the last change"), tr("Undo the last change of stars, tags, notes or the archive"),
              "Ctrl+Z", [this] { notes_.undo(); });
        named(tr("Same again with …"), tr("Set up an experiment from the chosen run"), "Ctrl+Shift+N",
              [this] { sameAgain(startOf(chosenRuns())); });
        const auto onTable = [this](const QString& title, const QKeySequence& keys, auto&& what) {
            addKeyedAction(*table_, title, tr("The chosen runs"), keys, what, Qt::WidgetShortcut);
        };
        addQueueKeys(
            *table_, context_.engine, [this] { return chosenRuns(); }, [this](const QString& why) { sayDone(why); });
        onTable(tr("Archive or restore"), Qt::Key_Delete, [this] { archive(chosenRuns()); });
        onTable(tr("Delete for good …"), QKeySequence(QStringLiteral("Shift+Del")),
                [this] { askDelete(chosenRuns()); });
        onTable(tr("Menu of the chosen runs"), Qt::Key_Menu, [this] {
            showMenu(table_->viewport()->mapToGlobal(table_->visualRect(table_->currentIndex()).bottomLeft()));
        });
        setFocusProxy(table_);
    }

    // The chosen runs, each once, in the order of the rows.
    std::vector<RunItemPtr> chosenRuns() const {
        std::vector<RunItemPtr> runs;
        QSet<QString> known;
        for (const int row : table_->chosen().rows()) {
            for (const RunItemPtr& run : list_->rowAt(row).runs()) {
                if (!known.contains(run->id)) runs.push_back(run);
                known.insert(run->id);
            }
        }
        return runs;
    }

    QStringList chosen(bool liveOnly) const {
        std::vector<RunItemPtr> runs = chosenRuns();
        if (liveOnly) std::erase_if(runs, [](const RunItemPtr& run) { return !isLive(run->row); });
        return idsOf(runs);
    }

    void showAbout() {
        if (drawer_->isVisibleTo(this)) drawer_->setRuns(chosenRuns());
    }

    std::optional<Start> startOf(const std::vector<RunItemPtr>& runs) const {
        return startFromRuns(runs, session_.feed().workspace());
    }

    void sameAgain(const std::optional<Start>& start) {
        if (!start) return say(tr("Choose one run or the runs of a sweep, no trace: it is set up again."));
        context_.draft.take(*start);
        context_.open("Experiment");
    }

    void editTags() {
        about_->setChecked(true);
        drawer_->editTags();
    }

    void archive(const std::vector<RunItemPtr>& runs) {
        if (!archiveRuns(notes_, runs)) say(tr("A run that is under way is not archived: stop it first."));
    }

    // Names what is deleted once the files were counted, which takes a disk some time.
    void askDelete(const std::vector<RunItemPtr>& runs) {
        if (runs.empty()) return;
        if (std::ranges::any_of(runs, [](const RunItemPtr& run) { return isLive(run->row); }))
            return say(tr("A run that is under way is not deleted: stop it first."));
        const QStringList ids = idsOf(runs);
        const QString what = ids.size() == 1 ? ids.front() : tr("%1 runs").arg(grouped(ids.size()));
        saidOf_ = ids;
        counter_.start([this, ids, what, workspace = session_.feed().workspace()] {
            std::uintmax_t bytes = 0;
            for (const QString& id : ids)
                bytes += storage::bytesOfFiles(storage::WorkspacePaths{workspace}.run(id.toStdString()));
            const QString size = bytesInWords(static_cast<double>(bytes)).text();
            QMetaObject::invokeMethod(
                this,
                [this, ids, what, size] {
                    if (saidOf_ != ids) return;
                    message_->ask(tr("Delete %1 for good, with %2 of checkpoints, logs and artefacts, all records and "
                                     "notes? Nothing brings them back; Archive only takes them out of the list.")
                                      .arg(what, size),
                                  tr("Delete %1").arg(what), [this, ids, what] {
                                      saidOf_.clear();
                                      context_.engine.remove(ids);
                                      sayDone(tr("Deleting %1 …").arg(what));
                                  });
                },
                Qt::QueuedConnection);
        });
    }

    // An error about the chosen runs: it ends when others are chosen.
    void say(const QString& words) {
        saidOf_ = idsOf(chosenRuns());
        message_->say(words);
    }

    void showMenu(const QPoint& at) {
        const std::vector<RunItemPtr> runs = chosenRuns();
        if (runs.empty()) return;
        auto* menu = new QMenu(this);
        menu->setAttribute(Qt::WA_DeleteOnClose);
        const auto add = [&](const QString& text, bool enabled, auto&& what) {
            QAction* action = menu->addAction(text);
            action->setEnabled(enabled);
            connect(action, &QAction::triggered, this, what);
        };
        const auto is = [&runs](auto&& what) { return std::all_of(runs.begin(), runs.end(), what); };
        const bool one = runs.size() == 1, recorded = one && !runs.front()->row.imported();
        const std::optional<Start> start = startOf(runs);
        add(tr("Open\tEnter"), one, [this, run = runs.front()->id] { openRun(run); });
        add(tr("Compare\tCtrl+Enter"), !one, [this] { compare(); });
        add(tr("Same again with …\tCtrl+Shift+N"), start.has_value(), [this, start] { sameAgain(start); });
        add(tr("Replay …"), recorded, [this, run = runs.front()->id] { askReplay(context_, run); });
        add(tr("Stop"), !chosen(true).isEmpty(), [this, live = chosen(true)] { context_.engine.stop(live); });
        addQueueMenu(*menu, context_.engine, runs);
        menu->addSeparator();
        add(is([](const auto& run) { return run->notes.starred; }) ? tr("Take the star away\tCtrl+D")
                                                                   : tr("Star\tCtrl+D"),
            true, [this, runs] { starRuns(notes_, runs); });
        add(tr("Tags and note …\tCtrl+G"), true, [this] { editTags(); });
        add(is([](const auto& run) { return run->notes.archived; }) ? tr("Restore\tDel") : tr("Archive\tDel"), true,
            [this, runs] { archive(runs); });
        add(tr("Delete for good …\tShift+Del"), is([](const auto& run) { return !isLive(run->row); }),
            [this, runs] { askDelete(runs); });
        menu->addSeparator();
        add(one ? tr("Copy the run's id") : tr("Copy the ids"), true,
            [ids = idsOf(runs)] { QGuiApplication::clipboard()->setText(ids.join(QLatin1Char(' '))); });
        add(tr("Open the run's folder"), one, [this, id = runs.front()->id] {
            const auto folder = session_.feed().workspace() / "runs" / id.toStdString();
            QDesktopServices::openUrl(QUrl::fromLocalFile(QString::fromStdString(folder.string())));
        });
        add(tr("Write the table as CSV\tCtrl+Alt+E"), true, [this] { csv_->trigger(); });
        menu->popup(at);
    }

    void openRow(const QModelIndex& index) {
        if (!index.isValid()) return;
        const ListRow& row = list_->rowAt(index.row());
        if (row.isGroup()) return list_->setOpen(index.row(), !row.group->open);
        openRun(row.run->id);
    }

    void openRun(QString id) {
        session_.compare({});
        session_.choose(id);
        context_.open("Run");
    }

    void compare() {
        const QStringList ids = chosen(false);
        if (ids.size() < 2) return;
        session_.setComparison(ids, list_->filterOf(table_->chosen().rows()));
        context_.open("Compare");
    }

    void updateActions() {
        const std::vector<int> rows = table_->chosen().rows();
        const auto live = [this](int row) { return list_->index(row, 0).data(RunTableModel::LiveRole).toBool(); };
        compare_->setEnabled(rows.size() > 1 || (rows.size() == 1 && list_->rowAt(rows.front()).isGroup()));
        stop_->setEnabled(std::any_of(rows.begin(), rows.end(), live));
    }

    // Shows the result of an action for kSayingMs. A message bar would move the rows under the pointer.
    void sayDone(const QString& words) {
        said_ = words;
        if (!words.isEmpty()) saying_.start(kSayingMs);
        update();
    }

    void update() {
        const int all = session_.runs().rowCount(), shown = list_->runCount();
        QStringList words = countsInWords(session_.runs().items(), queue_);
        if (shown != all) words << tr("%1 shown").arg(grouped(shown));
        words << list_->leftOutInWords() << said_;
        words.removeAll(QString());
        summary_->setText(words.join(QStringLiteral("  ·  ")));
        if (!session_.error().isEmpty() && all == 0) {
            empty_->say(tr("The workspace cannot be read"), session_.error());
        } else if (all == 0) {
            empty_->say(session_.loaded() ? tr("No runs yet") : tr("Reading the workspace …"),
                        tr("Start one with New run (Ctrl+N), or in a shell:  dasgd run FILE.toml --workspace %1")
                            .arg(QString::fromStdString(session_.feed().workspace().string())));
        } else if (const QString leftOut = list_->leftOutInWords(); !leftOut.isEmpty()) {
            empty_->say(tr("Every run that matches is left out"),
                        tr("%1. The menu of groups shows them; “archived” in the filter those that are archived.")
                            .arg(leftOut));
        } else {
            const QString what = all == 1 ? tr("1 run is") : tr("%1 runs are").arg(grouped(all));
            empty_->say(tr("No run matches the filter"),
                        tr("%1 hidden by “%2”. Clear the filter to see more.").arg(what, field_->text()));
        }
        body_->setCurrentIndex(shown == 0 ? 1 : 0);
        sayFilterError();
        showAbout();
        updateActions();
    }

    // Shows the session's error in the message bar; without runs the empty page shows it instead.
    void sayError() {
        saidOf_.clear();
        message_->say(session_.runs().rowCount() > 0 ? session_.error() : QString());
        update();
    }

    void sayFilterError() {
        // An unknown field may belong to a run that is still to be read.
        auto [error, unfinished] = list_->filterState();
        if (!session_.loaded()) error.reset();
        filterError_->setVisible(error.has_value() || !unfinished.isEmpty());
        setTone(*filterError_, error ? "bad" : "small");
        if (!error) {
            return filterError_->setText(
                tr("“%1” at the end counts once it is followed by something; in quotes it is a word to find.")
                    .arg(unfinished));
        }
        const QString place =
            error->at >= field_->text().size() ? tr("at the end") : tr("at character %1").arg(error->at + 1);
        filterError_->setText(
            tr("Filter, %1: %2. The rows are those of the last filter that was one.").arg(place, error->message));
    }

    static constexpr int kSayingMs = 8000;

    PageContext& context_;
    Session& session_;
    QString said_;        // words on the last action
    QStringList saidOf_;  // chosen runs that the message bar speaks of
    QThreadPool counter_;
    QTimer saying_;
    NotesQuery& notes_;
    QueueState queue_;
    RunListModel* list_;
    RunDrawer* drawer_ = nullptr;
    QToolButton *about_ = nullptr, *columns_ = nullptr;
    QAction* csv_ = nullptr;
    GroupButton* groups_ = nullptr;
    QLabel* filterError_ = nullptr;
    QLabel* summary_ = nullptr;
    QLineEdit* field_ = nullptr;
    MessageBar* message_ = nullptr;
    RunTable* table_ = nullptr;
    QStackedLayout* body_ = nullptr;
    EmptyCard* empty_ = nullptr;
    QPushButton *stop_ = nullptr, *compare_ = nullptr, *start_ = nullptr;
};

const PageRegistry::Add<RunsPage> kRunsPageEntry{
    {.order = 10, .title = "Runs", .icon = "M1 2.5h.01M5 2.5h10M1 7.5h.01M5 7.5h10M1 12.5h.01M5 12.5h10"}};

}  // namespace
}  // namespace dasgd::gui
