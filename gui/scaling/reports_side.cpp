#include "gui/scaling/reports_side.h"

#include <QHBoxLayout>
#include <QListWidget>
#include <QMenu>
#include <QShortcut>
#include <QVBoxLayout>
#include <tuple>

#include "gui/data/session/session.h"
#include "gui/kit/parts/keyed_action.h"
#include "gui/kit/parts/parts.h"
#include "gui/kit/words/age.h"
#include "gui/scaling/reports/job_action.h"
#include "gui/scaling/reports/job_form.h"
#include "gui/scaling/reports/report_view.h"

namespace dasgd::gui {

namespace {

constexpr int kReportsWidth = 290, kNarrowReportsWidth = 220, kFewColumns = 1000, kEmptyHeight = 260;

}  // namespace

ReportsSide::ReportsSide(PageContext& context) : context_(context), library_(context.reports) {
    auto* column = padded(spaced(new QVBoxLayout(this), kGap), {24, 0, 24, 18});
    column->addWidget(message_ = new MessageBar(context.look));
    auto* row = spaced(new QHBoxLayout, kGap);
    row->addWidget(makeList());
    row->addWidget(makeRight(), 1);
    column->addLayout(row, 1);
    connectAll();
    preferred_ = preferredCalibration();
    message_->say(library_.problem());
    showList();
}

void ReportsSide::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    showList();
}
void ReportsSide::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    listCard_->setFixedWidth(width() < kFewColumns ? kNarrowReportsWidth : kReportsWidth);
}

QWidget* ReportsSide::makeList() {
    listCard_ = new Card;
    listCard_->body().setContentsMargins(1, 13, 1, 8);
    auto* head = padded(new QHBoxLayout, {kPadding, 0, 10, 0});
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

QWidget* ReportsSide::makeRight() {
    auto* inner = new QWidget;
    auto* column = padded(spaced(new QVBoxLayout(inner), kGap), {0, 0, 0, 0});
    column->addWidget(form_ = new JobForm);
    showForm(false);
    column->addWidget(view_ = new ReportView(context_.look), 1);
    column->addWidget(empty_ = new EmptyCard, 1);
    empty_->setMinimumHeight(kEmptyHeight);
    empty_->addRow(makeBeginnings());
    column->addStretch();
    return inner;
}

// Buttons for the kinds of job that need only the experiment being set up.
QHBoxLayout* ReportsSide::makeBeginnings() {
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

void ReportsSide::connectAll() {
    connect(&library_, &ReportLibrary::changed, this, [this] {
        if (isVisible()) showList();
    });
    connect(&library_, &ReportLibrary::started, this, [this](const QString& name) {
        wanted_ = name;
        showForm(false);
        message_->clear();
        showList();
    });
    connect(&library_, &ReportLibrary::failed, message_, [this](const QString& text) { message_->say(text); });
    connect(&library_, &ReportLibrary::asked, this, [this](const JobRequest& request) {
        showForm(true);
        form_->show(request, calibrations());
        showReport();
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
    });
    connectView();
    connect(new QShortcut(QKeySequence(QStringLiteral("Ctrl+N")), this), &QShortcut::activated, new_,
            &QToolButton::showMenu);
    addKeyedAction(
        *list_, tr("Delete the report"), tr("Its runs stay; Ctrl+Z brings it back"),
        QKeySequence(QStringLiteral("Ctrl+Delete")), [this] { remove(); }, Qt::WidgetShortcut);
    addKeyedAction(*this, tr("Bring back the deleted report"), tr("The one that was deleted last"),
                   QKeySequence(QStringLiteral("Ctrl+Z")), [this] { restore(); });
    setFocusProxy(list_);
}

void ReportsSide::connectView() {
    connect(view_, &ReportView::stopWanted, &library_, &ReportLibrary::stop);
    connect(view_, &ReportView::againWanted, this, [this](const QString& name) {
        if (const Report* report = library_.find(name)) library_.ask(report->asked);
    });
    connect(view_, &ReportView::preferWanted, this, [this](const QString& name, bool on) {
        preferred_ = on ? name : QString();
        preferCalibration(preferred_);
        showReport();
    });
    connect(view_, &ReportView::scalingWanted, this, &ReportsSide::scalingWanted);
    connect(view_, &ReportView::runWanted, this, [this](const QString& run) {
        context_.session.choose(run);
        context_.open("Run");
    });
    connect(view_, &ReportView::settingsWanted, this, [this](const QString& toml) { takeOver(toml); });
}

std::vector<std::pair<QString, QString>> ReportsSide::calibrations() const {
    std::vector<std::pair<QString, QString>> all;
    for (const Report& one : library_.reports()) {
        if (one.asked.kind != JobKind::Calibrate || one.state != ReportState::Finished) continue;
        all.emplace_back(tr("%1, %2").arg(one.asked.title, ageInWords(one.started, QDateTime::currentDateTimeUtc())),
                         library_.calibrationOf(one.name));
    }
    return all;
}

void ReportsSide::showList() {
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

void ReportsSide::showReport() {
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
    view_->show(*report, report->name == preferred_);
}

// A hidden form is disabled too, so that no key can press its buttons.
void ReportsSide::showForm(bool shown) {
    form_->setVisible(shown);
    form_->setEnabled(shown);
}

void ReportsSide::remove() {
    const Report* report = library_.find(wanted_);
    if (!report || report->state == ReportState::Running) return;
    library_.remove(report->name);
    message_->say(tr("The report is deleted, its runs are not. Ctrl+Z brings it back."), MessageBar::Kind::Note);
}

void ReportsSide::restore() {
    const QString name = library_.restore();
    if (name.isEmpty()) {
        message_->say(tr("No report was deleted in this window: there is none to bring back."), MessageBar::Kind::Note);
        return;
    }
    message_->clear();
    wanted_ = name;
    showList();
}

void ReportsSide::takeOver(const QString& toml) {
    const Report* report = library_.find(wanted_);
    if (!report) return;
    const JobRequest asked = report->asked;
    const Start start{.kind = Start::Kind::Kept, .title = asked.title, .text = asked.text, .folder = asked.folder};
    // The page is opened first, since it shows which settings were removed or set aside.
    context_.open("Experiment");
    context_.draft.setSectionOf(start, QStringLiteral("algorithm"), toml);
}

}  // namespace dasgd::gui
