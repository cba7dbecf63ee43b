#include "gui/figures/figure_inspector.h"

#include <QHBoxLayout>
#include <QListWidget>
#include <QMenu>
#include <QShortcut>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/data/runs/run_config.h"
#include "gui/figures/model/figure_runs.h"
#include "gui/kit/parts/parts.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

constexpr int kPanelRow = 24, kPickerHeight = 180;
constexpr std::size_t kRowsOfPanelList = 6;

QString wordsOfPanel(const FigureSpec& panel) {
    const QString kind = kindWords()[static_cast<int>(panel.kind)];
    return panel.title.isEmpty() ? kind : panel.title + QStringLiteral(", ") + kind;
}

// An empty figure of panels with page, title and caption of `first`, which becomes its first panel.
FigureSpec figureOfPanels(const FigureSpec& first) {
    FigureSpec whole{.kind = FigureKind::Panels, .title = first.title, .caption = first.caption};
    whole.venue = first.venue;
    whole.width = first.width;
    whole.widthIn = first.widthIn;
    whole.panels = {first};
    return whole;
}

}  // namespace

FigureInspector::FigureInspector(const Look& look, const FigureLibrary& library, QWidget* parent)
    : QWidget(parent), library_(library) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(5);
    column->addWidget(makePanelRow());
    column->addWidget(panels_ = new QListWidget);
    panels_->setAccessibleName(tr("Panels of the figure"));
    panels_->setToolTip(tr("The form is about the chosen one; Alt+Up and Alt+Down move it, Delete takes it out"));
    panels_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    panels_->setFrameShape(QFrame::NoFrame);
    makeClear(*panels_);
    column->addWidget(runsRow_ = makeRunsRow());
    column->addWidget(picker_ = new QListWidget);
    picker_->setAccessibleName(tr("Runs of the figure"));
    picker_->setFixedHeight(kPickerHeight);
    picker_->hide();
    connect(pick_, &QToolButton::toggled, this, [this](bool on) {
        if (on) fillPicker();
        picker_->setVisible(on);
    });
    connect(picker_, &QListWidget::itemChanged, this, [this] { takePicked(); });
    column->addWidget(form_ = new FigureForm(look), 1);
    connect(panels_, &QListWidget::currentRowChanged, this, [this] { showChosen(); });
    connect(form_, &FigureForm::changed, this, &FigureInspector::takeForm);
    const auto key = [this](const QKeySequence& keys, auto&& act) {
        auto* shortcut = new QShortcut(keys, panels_);
        shortcut->setContext(Qt::WidgetShortcut);
        connect(shortcut, &QShortcut::activated, this, act);
    };
    key(QKeySequence(Qt::Key_Delete), [this] { takeOutPanel(); });
    key(QKeySequence(Qt::ALT | Qt::Key_Up), [this] { movePanel(-1); });
    key(QKeySequence(Qt::ALT | Qt::Key_Down), [this] { movePanel(1); });
    for (QToolButton* button : {up_, down_, out_}) button->hide();
    fillList();
}

QWidget* FigureInspector::makePanelRow() {
    auto* box = new QWidget;
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    row->addWidget(makeLabel(tr("Panels"), "head"));
    row->addStretch();
    const auto button = [&](const QString& text, const QString& name, const QString& help) {
        QToolButton* made = makeQuietButton(text, help);
        made->setAccessibleName(name);
        row->addWidget(made);
        return made;
    };
    up_ = button(QStringLiteral("↑"), tr("Move the panel forward"), tr("Forward  Alt+Up"));
    down_ = button(QStringLiteral("↓"), tr("Move the panel back"), tr("Back  Alt+Down"));
    out_ = button(QStringLiteral("×"), tr("Take the panel out"),
                  tr("Take the panel out; Add panel can put it back  Delete"));
    add_ = makeMenuButton(tr("Add panel"), tr("Another saved figure becomes a panel of this one"));
    add_->setAccessibleName(tr("Add panel"));
    row->addWidget(add_);
    connect(up_, &QToolButton::clicked, this, [this] { movePanel(-1); });
    connect(down_, &QToolButton::clicked, this, [this] { movePanel(1); });
    connect(out_, &QToolButton::clicked, this, [this] { takeOutPanel(); });
    connect(add_->menu(), &QMenu::aboutToShow, this, [this] { fillMenu(); });
    return box;
}

QWidget* FigureInspector::makeRunsRow() {
    auto* box = new QWidget;
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    row->addWidget(runsWords_ = makeLabel({}, "small"), 1);
    runsWords_->setWordWrap(true);
    row->addWidget(pick_ = makeQuietButton(tr("Choose …"), tr("Choose the runs of this figure from a list")));
    pick_->setCheckable(true);
    row->addWidget(runsSwitch_ = makeQuietButton({}, {}));
    runsSwitch_->hide();
    connect(runsSwitch_, &QToolButton::clicked, this, [this] { switchRuns(); });
    return box;
}

void FigureInspector::sayRuns() {
    const FigureSpec& of = form_->spec();
    runsRow_->setVisible(of.kind != FigureKind::Panels);
    if (of.kind == FigureKind::Panels) pick_->setChecked(false);
    const bool follows = of.runs.isEmpty();
    runsWords_->setText(
        follows ? tr("Runs of the filter: it redraws itself when runs are added.")
                : tr("%1 by %2: none is added.")
                      .arg(counted(of.runs.size(), "run"), of.runs.size() == 1 ? tr("its id") : tr("their ids")));
    runsSwitch_->show();
    runsSwitch_->setText(follows ? tr("Keep these runs") : tr("Follow the experiment"));
    runsSwitch_->setToolTip(asTip(follows ? tr("The figure keeps the runs that it has now, by their ids")
                                          : tr("The figure takes every run of these experiments, those to come too")));
}

void FigureInspector::switchRuns() {
    form_->commit();
    if (!runs_) return;
    const FigureSpec& now = form_->spec();
    const auto next = now.runs.isEmpty() ? pinnedFigure(now, runs_->items()) : followingFigure(now, runs_->items());
    if (!next) return runsWords_->setText(QString::fromStdString(next.error().message));
    form_->show(*next);
    takeForm(*next);
}

void FigureInspector::fillPicker() {
    const QSignalBlocker still(picker_);
    picker_->clear();
    if (!runs_) return;
    std::vector<RunItemPtr> all(runs_->items().begin(), runs_->items().end());
    std::ranges::stable_sort(all, std::ranges::greater{}, [](const RunItemPtr& run) { return run->startedMs; });
    const auto chosen = runsOf(form_->spec(), all);
    for (const RunItemPtr& run : all) {
        auto* item = new QListWidgetItem(runTitle(run->row), picker_);
        item->setData(Qt::UserRole, run->id);
        item->setToolTip(run->id);
        const bool is = chosen && std::ranges::count(chosen->runs, run) > 0;
        item->setCheckState(is ? Qt::Checked : Qt::Unchecked);
    }
}

void FigureInspector::takePicked() {
    form_->commit();
    FigureSpec next = form_->spec();
    QStringList picked;
    for (int i = 0; i < picker_->count(); ++i) {
        if (picker_->item(i)->checkState() == Qt::Checked) picked << picker_->item(i)->data(Qt::UserRole).toString();
    }
    if (picked.isEmpty()) return runsWords_->setText(tr("A figure needs a run."));
    // Runs that stay keep their order, in which timelines are drawn.
    QStringList kept = next.runs;
    kept.removeIf([&](const QString& id) { return !picked.contains(id); });
    for (const QString& id : picked) {
        if (!kept.contains(id)) kept << id;
    }
    next.runs = kept;
    next.filter.clear();
    form_->show(next);
    takeForm(next);
}

void FigureInspector::fillMenu() {
    QMenu& menu = *add_->menu();
    menu.clear();
    if (spec_.panels.size() == FigureSpec::kMostPanels) {
        menu.addAction(tr("%1 panels are the most").arg(spec_.panels.size()))->setEnabled(false);
        return;
    }
    if (!takenOut_.empty()) {
        menu.addAction(tr("Put back %1").arg(wordsOfPanel(takenOut_.back().second)), this,
                       &FigureInspector::putBackPanel);
        menu.addSeparator();
    }
    for (const SavedFigure& figure : library_.figures()) {
        const bool fits = figure.error.isEmpty() && figure.spec.kind != FigureKind::Panels && figure.name != name_;
        if (fits) menu.addAction(figure.title(), this, [this, spec = figure.spec] { addPanel(spec); });
    }
    if (menu.isEmpty()) menu.addAction(tr("There is no other figure: save one first (Ctrl+N)"))->setEnabled(false);
}

int FigureInspector::chosen() const { return panels_->currentRow() - 1; }

void FigureInspector::fillList() {
    const QSignalBlocker still(panels_);
    const int before = std::max(0, panels_->currentRow());
    panels_->clear();
    if (spec_.kind == FigureKind::Panels) {
        panels_->addItem(tr("the whole figure"));
        for (std::size_t i = 0; i < spec_.panels.size(); ++i) {
            panels_->addItem(panelLabel(i) + u' ' + wordsOfPanel(spec_.panels[i]));
        }
        for (int i = 0; i < panels_->count(); ++i) panels_->item(i)->setSizeHint({0, kPanelRow});
        panels_->setCurrentRow(std::min(before, panels_->count() - 1));
    }
    panels_->setVisible(panels_->count() > 0);
    const std::size_t rows = std::min(spec_.panels.size() + 1, kRowsOfPanelList);
    panels_->setFixedHeight(static_cast<int>(rows) * kPanelRow + 4);
}

void FigureInspector::show(const QString& name, const FigureSpec& spec) {
    if (name != name_) {
        takenOut_.clear();
        const QSignalBlocker still(panels_);
        panels_->setCurrentRow(0);
    }
    if (name != name_) pick_->setChecked(false);
    name_ = name;
    spec_ = spec;
    fillList();
    showChosen();
}

void FigureInspector::showChosen() {
    const int panel = chosen();
    const bool one = panel >= 0 && panel < static_cast<int>(spec_.panels.size());
    form_->setPanel(one);
    form_->show(one ? spec_.panels[static_cast<std::size_t>(panel)] : spec_);
    const std::size_t of = one ? static_cast<std::size_t>(panel) : 0;
    const bool named = spec_.kind != FigureKind::Panels || one;
    form_->setCurves(named && of < curves_.size() ? curves_[of] : std::vector<NamedCurve>());
    for (QToolButton* button : {up_, down_, out_}) button->setEnabled(one);
    if (pick_->isChecked()) fillPicker();
    for (QToolButton* button : {up_, down_, out_}) button->setVisible(spec_.kind == FigureKind::Panels);
    sayRuns();
}

void FigureInspector::setCurves(const std::vector<std::vector<NamedCurve>>& panels) {
    curves_ = panels;
    const int panel = chosen();
    if (spec_.kind == FigureKind::Panels && panel < 0) return form_->setCurves({});
    const auto of = static_cast<std::size_t>(std::max(0, panel));
    form_->setCurves(of < panels.size() ? panels[of] : std::vector<NamedCurve>());
}

void FigureInspector::takeForm(const FigureSpec& spec) {
    const int panel = chosen();
    if (spec_.kind != FigureKind::Panels || panel < 0) {
        spec_ = spec;
    } else {
        spec_.panels[static_cast<std::size_t>(panel)] = spec;
        const QSignalBlocker still(panels_);
        panels_->item(panel + 1)->setText(panelLabel(static_cast<std::size_t>(panel)) + u' ' + wordsOfPanel(spec));
    }
    sayRuns();
    emit changed(spec_);
}

void FigureInspector::changeTo(FigureSpec spec, int chosen) {
    spec_ = std::move(spec);
    curves_.clear();
    fillList();
    {
        const QSignalBlocker still(panels_);
        if (panels_->count() > 0) panels_->setCurrentRow(chosen + 1);
    }
    showChosen();
    emit changed(spec_);
}

void FigureInspector::addPanel(const FigureSpec& other) {
    form_->commit();
    FigureSpec whole = spec_.kind == FigureKind::Panels ? spec_ : figureOfPanels(spec_);
    if (whole.panels.size() == FigureSpec::kMostPanels) return;
    whole.panels.push_back(other);
    const int last = static_cast<int>(whole.panels.size()) - 1;
    changeTo(std::move(whole), last);
}

void FigureInspector::putBackPanel() {
    if (takenOut_.empty() || spec_.panels.size() == FigureSpec::kMostPanels) return;
    form_->commit();
    const auto [place, panel] = takenOut_.back();
    takenOut_.pop_back();
    FigureSpec whole = spec_.kind == FigureKind::Panels ? spec_ : figureOfPanels(spec_);
    const int at = std::min(place, static_cast<int>(whole.panels.size()));
    whole.panels.insert(whole.panels.begin() + at, panel);
    changeTo(std::move(whole), at);
}

void FigureInspector::takeOutPanel() {
    const int panel = chosen();
    if (spec_.kind != FigureKind::Panels || panel < 0 || spec_.panels.size() < 2) return;
    form_->commit();
    FigureSpec whole = spec_;
    takenOut_.emplace_back(panel, whole.panels[static_cast<std::size_t>(panel)]);
    whole.panels.erase(whole.panels.begin() + panel);
    if (whole.panels.size() > 1)
        return changeTo(std::move(whole), std::min(panel, static_cast<int>(whole.panels.size()) - 1));
    FigureSpec rest = whole.panels.front();
    rest.title = whole.title;
    rest.caption = whole.caption;
    rest.venue = whole.venue;
    rest.width = whole.width;
    rest.widthIn = whole.widthIn;
    changeTo(std::move(rest), -1);
}

void FigureInspector::movePanel(int by) {
    const int panel = chosen(), to = panel + by;
    if (panel < 0 || to < 0 || to >= static_cast<int>(spec_.panels.size())) return;
    form_->commit();
    FigureSpec whole = spec_;
    std::swap(whole.panels[static_cast<std::size_t>(panel)], whole.panels[static_cast<std::size_t>(to)]);
    changeTo(std::move(whole), to);
}

}  // namespace dasgd::gui
