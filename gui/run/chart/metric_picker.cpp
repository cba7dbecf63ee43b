#include "gui/run/chart/metric_picker.h"

#include <QActionGroup>
#include <QMenu>
#include <map>
#include <set>

#include "core/base/metric_names.h"
#include "gui/data/curves/metric_words.h"
#include "gui/data/curves/span_windows.h"

namespace dasgd::gui {

namespace {

// More than kMostInMenu metrics with one prefix ("weight/0" …) get a submenu, cut after kMostOfKind.
constexpr std::size_t kMostInMenu = 6;
constexpr std::size_t kMostOfKind = 60;

std::string kindOf(const std::string& name) { return name.substr(0, name.find('/')); }

}  // namespace

MetricPicker::MetricPicker(MetricNamesQuery& names, std::string metric, QWidget* parent)
    : QToolButton(parent), metric_(std::move(metric)), menu_(new QMenu(this)) {
    setObjectName(QStringLiteral("metric"));
    setPopupMode(QToolButton::InstantPopup);
    setFocusPolicy(Qt::StrongFocus);
    setToolTip(tr("Metric of this chart: any that these runs have recorded"));
    setMenu(menu_);
    connect(menu_, &QMenu::aboutToShow, this, &MetricPicker::fill);
    connect(&names, &MetricNamesQuery::arrived, this,
            [this](const RecordedMetrics& recorded) { recorded_ = recorded; });
    showChoice();
}

void MetricPicker::choose(const std::string& metric, bool byRank) {
    if (metric == metric_ && byRank == byRank_) return;
    metric_ = metric;
    byRank_ = byRank;
    showChoice();
    emit changed();
}

void MetricPicker::showChoice() {
    const QString title = wordsOf(metric_).title;
    const QString each = metrics::isOfHost(metric_) ? tr(", each host ▾") : tr(", each rank ▾");
    setText(title + (byRank_ ? each : QStringLiteral(" ▾")));
    setAccessibleName(tr("Metric of the chart: %1").arg(title));
}

void MetricPicker::add(QMenu& menu, const std::string& name) {
    const MetricWords words = wordsOf(name);
    QString text = words.title;
    const QString unit = words.axis.section(QStringLiteral(" ["), 1);
    if (!unit.isEmpty()) text += QStringLiteral("  [") + unit;
    const auto found = recorded_.runs.find(name);
    const int runs = found == recorded_.runs.end() ? 0 : found->second;
    if (!isFromSpans(name) && runs < recorded_.drawn) text += tr("   (%1 of %2 runs)").arg(runs).arg(recorded_.drawn);
    QAction* action = menu.addAction(text);
    action->setToolTip(isFromSpans(name) ? tr("For this run alone, formed from its spans: while it runs, timed or not")
                                         : QString::fromStdString(name));
    action->setCheckable(true);
    action->setChecked(name == metric_);
    connect(action, &QAction::triggered, this, [this, name] { choose(name, byRank_ && wordsOf(name).byRank); });
}

void MetricPicker::fill() {
    menu_->clear();
    menu_->setToolTipsVisible(true);
    std::vector<std::string> names;
    std::map<std::string, std::size_t> ofKind;
    for (const auto& [name, runs] : recorded_.runs) {
        names.push_back(name);
        ++ofKind[kindOf(name)];
    }
    if (!recorded_.runs.contains(metric_) && !isFromSpans(metric_)) names.push_back(metric_);
    std::map<std::string, QMenu*> menus;
    for (const std::string& name : offered(std::move(names))) {
        const std::string kind = kindOf(name);
        const std::size_t size = ofKind[kind];
        if (size <= kMostInMenu || kind == "eval" || kind == "train") {
            add(*menu_, name);
            continue;
        }
        QMenu*& own = menus[kind];
        if (!own) {
            const std::size_t shown = std::min(size, kMostOfKind);
            own = menu_->addMenu(shown < size
                                     ? tr("%1, first %2 of %3").arg(QString::fromStdString(kind)).arg(shown).arg(size)
                                     : tr("%1, %2").arg(QString::fromStdString(kind)).arg(size));
        }
        if (static_cast<std::size_t>(own->actions().size()) < kMostOfKind) add(*own, name);
    }
    menu_->addSeparator();
    for (const char* name : kSpanCurves) add(*menu_, name);
    menu_->addSeparator();
    QAction* each =
        menu_->addAction(metrics::isOfHost(metric_) ? tr("Each host of this run") : tr("Each rank of this run"));
    each->setCheckable(true);
    each->setChecked(byRank_);
    each->setEnabled(wordsOf(metric_).byRank);
    connect(each, &QAction::triggered, this, [this](bool on) { choose(metric_, on); });
}

}  // namespace dasgd::gui
