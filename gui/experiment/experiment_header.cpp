#include "gui/experiment/experiment_header.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QShortcut>
#include <QVBoxLayout>

#include "gui/data/session/clusters.h"
#include "gui/data/session/remote_mirror.h"
#include "gui/kit/parts/keyed_action.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

constexpr qsizetype kMostPlaces = 3;

// Places of the problems: "optimizer.momentum, line 23", "algorithm.delay, train.steps and 2 more"; "" where none has a
// line.
QString placesInWords(const std::vector<Problem>& problems) {
    QStringList places;
    for (const Problem& problem : problems) {
        if (problem.line == 0) continue;
        places << (problem.key.isEmpty() ? ExperimentHeader::tr("the text") : problem.key);
    }
    if (places.isEmpty()) return {};
    if (problems.size() == 1) return ExperimentHeader::tr("%1, line %2").arg(places.front()).arg(problems[0].line);
    const QString few = places.mid(0, kMostPlaces).join(QStringLiteral(", "));
    return places.size() <= kMostPlaces
               ? few
               : ExperimentHeader::tr("%1 and %2 more").arg(few).arg(places.size() - kMostPlaces);
}

}  // namespace

ExperimentHeader::ExperimentHeader(const ExperimentDraft& draft)
    : draft_(draft),
      title_(makeElasticLabel("title")),
      words_(makeLabel({}, "small")),
      state_(makeLabel({}, "small")),
      dry_(makeButton(tr("Dry run"), false, tr("Check everything and list the runs; starts nothing"))),
      save_(makeButton(tr("Save …"), false, tr("Write the text to a file of your own  Ctrl+S"))),
      run_(makeButton(tr("▸  Run and watch"), true,
                      tr("Start it here, and follow its loss and its timeline live  Ctrl+Enter"))),
      pill_(new QToolButton),
      unfold_(makeQuietButton(tr("Begin with … ▾"), tr("Presets and recorded experiments"))),
      queue_(makeQuietButton(tr("queue"),
                             tr("Let it wait: it starts once what trains and waits here has ended  Ctrl+Shift+Enter"))),
      duplicate_(makeQuietButton(tr("duplicate"), tr("Go on with a copy under another name  Ctrl+D"))),
      where_(makeMenuButton(
          tr("on this computer"),
          tr("Where it runs: this computer, a cluster, or the queue of the remote workspace that was opened last"))) {
    auto* top = spaced(new QHBoxLayout, 9);
    top->addWidget(title_, 1);
    for (QPushButton* button : {dry_, save_, run_}) top->addWidget(button);
    auto* second = spaced(new QHBoxLayout, kGap);
    unfold_->setCheckable(true);
    second->addWidget(unfold_);
    second->addWidget(pill_);
    pill_->setObjectName(QStringLiteral("errorpill"));
    pill_->setFocusPolicy(Qt::TabFocus);
    pill_->setToolTip(tr("Go to the error, or to the next one  F8"));
    second->addWidget(words_);
    second->addWidget(state_);
    second->addStretch();
    for (QToolButton* button : {duplicate_, queue_, where_}) second->addWidget(button);
    auto* column = padded(spaced(new QVBoxLayout(this), 8), {0, 0, 0, 0});
    column->addLayout(top);
    column->addLayout(second);
    connect(unfold_, &QToolButton::toggled, this, &ExperimentHeader::unfoldToggled);
    connect(pill_, &QToolButton::clicked, this, &ExperimentHeader::problemWanted);
    connect(dry_, &QPushButton::clicked, this, &ExperimentHeader::dryRunWanted);
    connect(save_, &QPushButton::clicked, this, &ExperimentHeader::saveWanted);
    connect(run_, &QPushButton::clicked, this, &ExperimentHeader::runWanted);
    connect(queue_, &QToolButton::clicked, this, &ExperimentHeader::queueWanted);
    connect(where_->menu(), &QMenu::aboutToShow, this, &ExperimentHeader::fillClusters);
    connect(duplicate_, &QToolButton::clicked, this, &ExperimentHeader::duplicateWanted);
    const auto onKeys = [this](const char* keys, auto&& wanted) {
        auto* key = new QShortcut(QKeySequence(QLatin1String(keys)), this);
        connect(key, &QShortcut::activated, this, wanted);
    };
    onKeys("Ctrl+Return", &ExperimentHeader::runWanted);
    onKeys("Ctrl+Shift+Return", [this] { queue_->click(); });
    onKeys("Ctrl+S", &ExperimentHeader::saveWanted);
    onKeys("Ctrl+D", &ExperimentHeader::duplicateWanted);
    onKeys("F8", &ExperimentHeader::problemWanted);
    addKeyedAction(*this, tr("Save under another name …"), tr("Write the text to another file of your own"),
                   QKeySequence(QStringLiteral("Ctrl+Shift+S")), [this] { emit saveAsWanted(); });
}

void ExperimentHeader::fillClusters() {
    QMenu& menu = *where_->menu();
    menu.clear();
    const auto add = [&](const QString& words, const QString& name) {
        connect(menu.addAction(words), &QAction::triggered, this, [this, words, name] {
            where_->setText(tr("on %1").arg(words));
            queue_->setEnabled(name.isEmpty());  // only this host has the workspace's queue
            emit clusterChosen(name);
        });
    };
    add(tr("this computer"), {});
    const QStringList names = clusterNames();
    for (const QString& name : names) add(name, name);
    if (const QString last = RemoteMirror::lastUrl(); isRemoteWorkspace(last)) add(last, last);
    if (!names.isEmpty()) return;
    menu.addAction(tr("A cluster is a file NAME.toml in %1").arg(clusterFolder()))->setEnabled(false);
}

void ExperimentHeader::setFolded(bool folded) { unfold_->setVisible(folded); }

void ExperimentHeader::showDraft() {
    const bool empty = draft_.document().isEmpty();
    title_->setText(empty ? tr("New experiment") : draft_.title());
    const QString& file = draft_.file();
    save_->setText(file.isEmpty() ? tr("Save …") : tr("Save"));
    save_->setToolTip(file.isEmpty()
                          ? tr("Write the text to a file of your own  Ctrl+S")
                          : asTip(tr("Write the text to %1  Ctrl+S\nUnder another name  Ctrl+Shift+S").arg(file)));
    state_->setText(empty ? QString() : draft_.isSaved() ? tr("saved") : tr("not saved"));
}

void ExperimentHeader::showCheck() {
    const std::vector<Problem> problems = draft_.check().problems();
    const bool empty = draft_.document().isEmpty();
    pill_->setVisible(!problems.empty());
    pill_->setText(counted(std::ssize(problems), "error"));
    QString words = empty ? tr("nothing chosen yet") : draftInWords(draft_);
    if (const QString places = placesInWords(problems); !places.isEmpty()) {
        words = places;
    } else if (!empty && draft_.check().isRunning()) {
        words = words.isEmpty() ? tr("checking …") : words + tr(" · checking …");
    }
    words_->setText(words);
    const auto& checked = draft_.check().result();
    const bool several = checked && checked->total > 1;
    run_->setText(several ? tr("▸  Run %1 and watch").arg(grouped(checked->total)) : tr("▸  Run and watch"));
}

}  // namespace dasgd::gui
