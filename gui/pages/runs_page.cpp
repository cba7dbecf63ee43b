// Every run of the workspace: sorted, filtered, live. Enter opens one, several are compared.
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QShortcut>
#include <QStackedLayout>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/models/run_list/run_list_model.h"
#include "gui/pages/page.h"
#include "gui/widgets/parts.h"
#include "gui/widgets/run_delegate.h"
#include "gui/widgets/run_table.h"

namespace dasgd::gui {

namespace {

class RunsPage : public QWidget {
public:
    explicit RunsPage(PageContext& context)
        : context_(context), session_(context.session), list_(new RunListModel(session_.runs(), this)) {
        setObjectName(QStringLiteral("page"));
        auto* column = new QVBoxLayout(this);
        column->setContentsMargins(24, 18, 24, 18);
        column->setSpacing(kGap);
        column->addLayout(makeHeader());
        column->addWidget(message_ = new MessageBar(context.look));
        column->addLayout(makeFilterRow());
        column->addWidget(filterError_ = makeLabel({}, "bad"));
        filterError_->setWordWrap(true);
        filterError_->hide();
        body_ = new QStackedLayout;
        body_->addWidget(makeTable());
        body_->addWidget(makeEmpty());
        column->addLayout(body_, 1);
        connectAll();
        group(Grouping::bySeries());
    }

    // The table before the list that it shows.
    ~RunsPage() override { delete table_; }

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
        compare_ = makeButton(tr("Compare"), false, tr("Put the chosen runs beside each other on the Compare page  Ctrl+Enter"));
        start_ = makeButton(tr("▸  New run"), true, tr("Set up an experiment, from a preset or from a run  Ctrl+N"));
        for (QPushButton* button : {stop_, compare_, start_}) header->addWidget(button, 0, Qt::AlignTop);
        return header;
    }

    QHBoxLayout* makeFilterRow() {
        columns_ = new QToolButton;
        columns_->setObjectName(QStringLiteral("choice"));
        columns_->setText(tr("columns ▾"));
        columns_->setToolTip(tr("Choose columns; also a right click on the header"));
        columns_->setPopupMode(QToolButton::InstantPopup);
        columns_->setFocusPolicy(Qt::TabFocus);
        columns_->setMenu(new QMenu(columns_));
        auto* row = new QHBoxLayout;
        row->setSpacing(kGap);
        groups_ = new QToolButton;
        groups_->setObjectName(QStringLiteral("choice"));
        groups_->setToolTip(
            tr("Put runs together: those of one command, or those with one value of a setting.\n"
               "A group stands for all of its runs when it is chosen; Right and Left open and close it."));
        groups_->setPopupMode(QToolButton::InstantPopup);
        groups_->setFocusPolicy(Qt::TabFocus);
        groups_->setMenu(new QMenu(groups_));
        row->addWidget(field_ = makeFilter(), 1);
        row->addWidget(groups_);
        row->addWidget(columns_);
        return row;
    }

    void fillGroupMenu(QMenu& menu) {
        clearMenu(menu);
        addGrouping(menu, tr("no groups"), {});
        addGrouping(menu, tr("runs of one command"), Grouping::bySeries());
        menu.addSeparator();
        for (const char* name : {"experiment", "algorithm", "settings", "backend", "ranks", "status", "commit"}) {
            addGrouping(menu, QString::fromLatin1(name), *groupingOf(QString::fromLatin1(name)));
        }
        addKeyMenus(*menu.addMenu(tr("settings of the configuration")), list_->fields().keys(),
                    [this](QMenu& section, const QString& title, const QString& key) {
                        addGrouping(section, title, *groupingOf(key));
                    });
    }

    void addGrouping(QMenu& menu, const QString& title, const Grouping& grouping) {
        QAction* action = menu.addAction(title);
        action->setCheckable(true);
        action->setChecked(grouping.name() == list_->grouping().name());
        connect(action, &QAction::triggered, this, [this, grouping] { group(grouping); });
    }

    std::optional<Grouping> groupingOf(const QString& name) const {
        const auto answer = list_->fields().find(name);
        if (!answer.field) return std::nullopt;
        return Grouping::byField(*answer.field);
    }

    void group(const Grouping& grouping) {
        list_->setGrouping(grouping);
        groups_->setText(grouping ? tr("by %1 ▾").arg(grouping.name()) : tr("no groups ▾"));
        update();
    }

    QLineEdit* makeFilter() {
        auto* field = new QLineEdit;
        field->setPlaceholderText(tr("Filter: words, or  algorithm = dasgd and delay >= 3 and hidden > 90 %"));
        field->setToolTip(filterHelp());
        field->setClearButtonEnabled(true);
        field->setAccessibleName(tr("Filter runs"));
        return field;
    }

    static QString filterHelp() {
        QStringList names;
        for (const BuiltInField& one : builtInFields()) names << one.field.name;
        return asTip(tr("words that a run must hold; -word for those that it must not; quotes around several\n"
                        "comparisons: = != < <= > >= and ~ for “contains”, with and, or, not and parentheses\n"
                        "hidden > 90 %   wall < 10 min   started >= 2026-11-20   bandwidth <= 200Mbps\n"
                        "fields: every key of the configuration (delay, or algorithm.delay), and\n%1  Ctrl+F")
                         .arg(wrapped(names)));
    }

    static QString wrapped(const QStringList& names) {
        QString text;
        for (qsizetype i = 0; i < names.size(); ++i) {
            text += names[i] + (i % 10 == 9 ? QLatin1Char('\n') : QLatin1Char(' '));
        }
        return text.trimmed();
    }

    QWidget* makeTable() {
        auto* card = new Card;
        card->body().setContentsMargins(1, 6, 1, 6);
        table_ = new RunTable(*list_, context_.look);
        table_->setItemDelegate(new RunDelegate(session_, context_.look, table_));
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
            list_->setFilter(text);
            update();
        });
        connect(list_, &RunListModel::updated, this, [this] { update(); });
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
        connect(groups_->menu(), &QMenu::aboutToShow, this, [this] { fillGroupMenu(*groups_->menu()); });
        connect(columns_->menu(), &QMenu::aboutToShow, this, [this] { table_->fillColumnMenu(*columns_->menu()); });
        connect(&table_->chosen(), &RunSelection::chosenChanged, this, [this] { updateActions(); });
        connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) { openRun(index); });
        connect(compare_, &QPushButton::clicked, this, [this] { compare(); });
        connect(stop_, &QPushButton::clicked, this, [this] { context_.engine.stop(chosen(true)); });
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
        QSet<QString> known;
        for (const int row : table_->chosen().rows()) {
            for (const RunItemPtr& run : list_->runsAt(row)) {
                if (known.contains(run->id) || (liveOnly && !isLive(run->row))) continue;
                known.insert(run->id);
                ids << run->id;
            }
        }
        return ids;
    }

    void openRun(const QModelIndex& index) {
        const ListRow& row = list_->rowAt(index.row());
        if (row.isGroup()) return list_->setOpen(index.row(), !row.group->open);
        session_.compare({});
        session_.choose(index.data(RunTableModel::IdRole).toString());
        context_.open("Run");
    }

    void compare() {
        const QStringList ids = chosen(false);
        if (ids.size() < 2) return;
        session_.setComparison(ids);
        context_.open("Compare");
    }

    void updateActions() {
        const std::vector<int> rows = table_->chosen().rows();
        const auto isGroup = [this](int row) { return list_->rowAt(row).isGroup(); };
        const auto live = [this](int row) { return list_->index(row, 0).data(RunTableModel::LiveRole).toBool(); };
        compare_->setEnabled(rows.size() > 1 || (rows.size() == 1 && isGroup(rows.front())));
        stop_->setEnabled(std::any_of(rows.begin(), rows.end(), live));
    }

    void update() {
        const int all = session_.runs().rowCount();
        const int shown = list_->runCount();
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
        sayFilterError();
        updateActions();
    }

    void sayFilterError() {
        const auto error = list_->filterError();
        filterError_->setVisible(error.has_value());
        if (!error) return;
        const QString place =
            error->at >= field_->text().size() ? tr("at the end") : tr("at character %1").arg(error->at + 1);
        filterError_->setText(
            tr("Filter, %1: %2. The rows are those of the filter before.").arg(place, error->message));
    }

    PageContext& context_;
    Session& session_;
    RunListModel* list_;
    QToolButton* columns_ = nullptr;
    QToolButton* groups_ = nullptr;
    QLabel* filterError_ = nullptr;
    QLabel* summary_ = nullptr;
    QLineEdit* field_ = nullptr;
    MessageBar* message_ = nullptr;
    RunTable* table_ = nullptr;
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
