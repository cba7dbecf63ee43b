// Reports of calibrate, advise, scale and replay: a list of the workspace's reports, running ones with their progress,
// and the chosen one as cards.
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QListWidget>
#include <QMenu>
#include <QScrollArea>
#include <QScrollBar>
#include <QShortcut>
#include <QStackedLayout>
#include <QVBoxLayout>
#include <tuple>

#include "gui/kit/parts/keyed_action.h"
#include "gui/kit/parts/parts.h"
#include "gui/kit/words/age.h"
#include "gui/scaling/reports/job_action.h"
#include "gui/scaling/reports/job_form.h"
#include "gui/scaling/reports/report_view.h"

namespace dasgd::gui {

namespace {

constexpr int kReportsWidth = 290, kNarrowReportsWidth = 220, kFewColumns = 1000, kEmptyHeight = 260;

class ReportsPage : public QWidget {
public:
    explicit ReportsPage(PageContext& context) : context_(context), library_(context.reports) {
        setObjectName(QStringLiteral("page"));
        auto* column = new QVBoxLayout(this);
        column->setContentsMargins(24, 18, 24, 18);
        column->setSpacing(kGap);
        column->addWidget(message_ = new MessageBar(context.look));
        auto* row = new QHBoxLayout;
        row->setSpacing(kGap);
        row->addWidget(makeList());
        row->addWidget(makeRight(), 1);
        column->addLayout(row, 1);
        connectAll();
        preferred_ = preferredCalibration();
        message_->say(library_.problem());
        showList();
    }

protected:
    void showEvent(QShowEvent* event) override {
        QWidget::showEvent(event);
        showList();
    }
    void resizeEvent(QResizeEvent* event) override {
        QWidget::resizeEvent(event);
        listCard_->setFixedWidth(width() < kFewColumns ? kNarrowReportsWidth : kReportsWidth);
    }

private:
    QWidget* makeList() {
        listCard_ = new Card;
        listCard_->body().setContentsMargins(1, 13, 1, 8);
        auto* head = new QHBoxLayout;
        head->setContentsMargins(kPadding, 0, 10, 0);
        head->addWidget(makeLabel(tr("Reports"), "head"), 1);
        new_ = makeMenuButton(tr("New ▾"), tr("Calibrate, advise or scale the experiment that is set up  Ctrl+N"));
        for (const JobKind kind : {JobKind::Calibrate, JobKind::Advise, JobKind::Scale}) {
            QAction* action = new_->menu()->addAction(kindInWords(kind));
            connect(action, &QAction::triggered, this, [this, kind] { askOfDraft(context_, kind); });
        }
        head->addWidget(new_);
        listCard_->body().addLayout(head);
        list_ = new QListWidget;
        list_->setFrameShape(QFrame::NoFrame);
        list_->setObjectName(QStringLiteral("reports"));
        list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        list_->setTextElideMode(Qt::ElideRight);
        list_->setAccessibleName(tr("Reports"));
        listCard_->body().addWidget(list_, 1);
        return listCard_;
    }

    QWidget* makeRight() {
        auto* inner = new QWidget;
        inner->setObjectName(QStringLiteral("page"));
        auto* column = new QVBoxLayout(inner);
        column->setContentsMargins(0, 0, 6, 0);
        column->setSpacing(kGap);
        column->addWidget(form_ = new JobForm);
        showForm(false);
        column->addWidget(view_ = new ReportView(context_.look));
        column->addWidget(empty_ = new EmptyCard, 1);
        empty_->setMinimumHeight(kEmptyHeight);
        empty_->addRow(makeBeginnings());
        column->addStretch();
        scroll_ = new QScrollArea;
        scroll_->setObjectName(QStringLiteral("page"));
        scroll_->setFrameShape(QFrame::NoFrame);
        scroll_->setWidgetResizable(true);
        scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        scroll_->setWidget(inner);
        return scroll_;
    }

    // Buttons for the kinds of job that need only the experiment being set up.
    QHBoxLayout* makeBeginnings() {
        auto* row = new QHBoxLayout;
        row->addStretch();
        for (const auto& [kind, words, help] :
             {std::tuple{JobKind::Calibrate, tr("Calibrate"), tr("Measure T_c and the link")},
              std::tuple{JobKind::Advise, tr("Advise …"), tr("Which setting the cluster asks for")},
              std::tuple{JobKind::Scale, tr("Scale …"), tr("Run it at several numbers of workers")}}) {
            QToolButton* button = makeQuietButton(words, help);
            connect(button, &QToolButton::clicked, this, [this, asked = kind] { askOfDraft(context_, asked); });
            row->addWidget(button);
        }
        row->addStretch();
        return row;
    }

    void connectAll() {
        connect(&library_, &ReportLibrary::changed, this, [this] {
            if (isVisible()) showList();
        });
        // A report's text about its run needs the run, which may be read later.
        connect(&context_.session, &Session::runsChanged, this, [this] {
            if (isVisible()) showReport();
        });
        connect(&library_, &ReportLibrary::started, this, [this](const QString& name) {
            wanted_ = name;
            showForm(false);
            message_->clear();
            showList();
            showTop();
        });
        connect(&library_, &ReportLibrary::failed, message_, [this](const QString& text) { message_->say(text); });
        connect(&library_, &ReportLibrary::asked, this, [this](const JobRequest& request) {
            showForm(true);
            form_->show(request, calibrations());
            showReport();
            showTop();
        });
        connect(form_, &JobForm::startWanted, this, [this] { library_.start(form_->request()); });
        connect(form_, &JobForm::closeWanted, this, [this] {
            showForm(false);
            list_->setFocus();
            showReport();
        });
        connect(list_, &QListWidget::currentItemChanged, this, [this](QListWidgetItem* item) {
            if (filling_ || !item) return;
            wanted_ = item->data(Qt::UserRole).toString();
            showReport();
            showTop();
        });
        connect(view_, &ReportView::stopWanted, &library_, &ReportLibrary::stop);
        connect(view_, &ReportView::againWanted, this, [this](const QString& name) {
            if (const Report* report = library_.find(name)) library_.ask(report->asked);
        });
        connect(view_, &ReportView::preferWanted, this, [this](const QString& name, bool on) {
            preferred_ = on ? name : QString();
            preferCalibration(preferred_);
            showReport();
        });
        connect(view_, &ReportView::scalingWanted, this, [this] { context_.open("Scaling"); });
        connect(view_, &ReportView::runWanted, this, [this](const QString& run) {
            context_.session.choose(run);
            context_.open("Run");
        });
        connect(view_, &ReportView::settingsWanted, this, [this](const QString& toml) { takeOver(toml); });
        connect(new QShortcut(QKeySequence(QStringLiteral("Ctrl+N")), this), &QShortcut::activated, new_,
                &QToolButton::showMenu);
        addKeyedAction(
            *list_, tr("Delete the report"), tr("Its runs stay; Ctrl+Z brings it back"),
            QKeySequence(QStringLiteral("Ctrl+Delete")), [this] { remove(); }, Qt::WidgetShortcut);
        addKeyedAction(*this, tr("Bring back the deleted report"), tr("The one that was deleted last"),
                       QKeySequence(QStringLiteral("Ctrl+Z")), [this] { restore(); });
        setFocusProxy(list_);
    }

    [[nodiscard]] std::vector<std::pair<QString, QString>> calibrations() const {
        std::vector<std::pair<QString, QString>> all;
        for (const Report& one : library_.reports()) {
            if (one.asked.kind != JobKind::Calibrate || one.state != ReportState::Finished) continue;
            all.emplace_back(
                tr("%1, %2").arg(one.asked.title, ageInWords(one.started, QDateTime::currentDateTimeUtc())),
                library_.calibrationOf(one.name));
        }
        return all;
    }

    void showList() {
        filling_ = true;
        const auto& reports = library_.reports();
        while (list_->count() > std::ssize(reports)) delete list_->takeItem(list_->count() - 1);
        while (list_->count() < std::ssize(reports)) list_->addItem(new QListWidgetItem);
        const QDateTime now = QDateTime::currentDateTimeUtc();
        int current = reports.empty() ? -1 : 0;
        for (std::size_t i = 0; i < reports.size(); ++i) {
            const Report& one = reports[i];
            const bool running = one.state == ReportState::Running;
            const QString place = one.progress.place();
            const QString share = tr("%1 %").arg(static_cast<int>(100 * one.progress.share()));
            const QString state = !running ? ageInWords(one.started, now) : place.isEmpty() ? share : place;
            const QString mark = running                             ? QStringLiteral("▸ ")
                                 : one.state == ReportState::Failed  ? QStringLiteral("✕ ")
                                 : one.state == ReportState::Stopped ? QStringLiteral("■ ")
                                 : one.name == preferred_            ? QStringLiteral("✓ ")
                                                                     : QString();
            auto* item = list_->item(static_cast<int>(i));
            item->setText(QStringLiteral("%1%2\n%3 · %4 · %5")
                              .arg(mark, one.asked.title, kindInWords(one.asked.kind), stateInWords(one.state), state));
            item->setData(Qt::UserRole, one.name);
            if (one.name == wanted_) current = static_cast<int>(i);
        }
        if (list_->currentRow() != current) list_->setCurrentRow(current);
        filling_ = false;
        showReport();
    }

    void showReport() {
        const Report* report = library_.find(wanted_);
        if (!report && !library_.reports().empty()) report = &library_.reports().front();
        view_->setVisible(report);
        view_->setEnabled(report);
        empty_->setVisible(!report && !form_->isVisible());
        if (library_.loaded()) {
            empty_->say(tr("No report yet"), tr("Calibrate, advise and scale take the experiment that is set "
                                                "up, here and beside its forecast; replay in the menu of a run."));
        } else {
            empty_->say(tr("Reading …"), {});
        }
        if (!report) return;
        wanted_ = report->name;
        view_->show(*report, configOf(context_.session), report->name == preferred_);
    }

    // A hidden form is disabled too, so that no key can press its buttons.
    void showForm(bool shown) {
        form_->setVisible(shown);
        form_->setEnabled(shown);
    }

    // Scrolls to the top, where the form and the head of a report stand.
    void showTop() { scroll_->verticalScrollBar()->setValue(0); }

    void remove() {
        const Report* report = library_.find(wanted_);
        if (!report || report->state == ReportState::Running) return;
        library_.remove(report->name);
        message_->say(tr("The report is deleted, its runs are not. Ctrl+Z brings it back."), MessageBar::Kind::Note);
    }

    void restore() {
        const QString name = library_.restore();
        if (name.isEmpty()) {
            message_->say(tr("No report was deleted in this window: there is none to bring back."),
                          MessageBar::Kind::Note);
            return;
        }
        message_->clear();
        wanted_ = name;
        showList();
    }

    void takeOver(const QString& toml) {
        const Report* report = library_.find(wanted_);
        if (!report) return;
        const JobRequest asked = report->asked;
        const Start start{.kind = Start::Kind::Kept, .title = asked.title, .text = asked.text, .folder = asked.folder};
        // The page is opened first, since it shows which settings were removed or set aside.
        context_.open("Experiment");
        context_.draft.setSectionOf(start, QStringLiteral("algorithm"), toml);
    }

    PageContext& context_;
    ReportLibrary& library_;
    MessageBar* message_ = nullptr;
    Card* listCard_ = nullptr;
    QListWidget* list_ = nullptr;
    QToolButton* new_ = nullptr;
    QScrollArea* scroll_ = nullptr;
    JobForm* form_ = nullptr;
    ReportView* view_ = nullptr;
    EmptyCard* empty_ = nullptr;
    QString wanted_;     // name of the report on show
    QString preferred_;  // report whose calibration the forecast prefers
    bool filling_ = false;
};

const PageRegistry::Add<ReportsPage> kReportsPageEntry{
    {.order = 95, .title = "Reports", .icon = "M3 .5h6.5l3 3v11h-9.5zM9.5 .5v3h3M5.5 7h4.5M5.5 9.5h4.5M5.5 12h2.5"}};

}  // namespace

}  // namespace dasgd::gui
