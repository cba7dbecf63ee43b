#include "gui/figures/kind_checks.h"

#include <QCheckBox>
#include <QGridLayout>
#include <array>

#include "core/base/event.h"

namespace dasgd::gui {

namespace {

constexpr int kColumnsOfKinds = 2;
// Kinds of each check box: a kind of the timeline's legend first, then the kinds that share its colour.
const std::array<QStringList, 9> kKindsOfChecks{
    QStringList{QStringLiteral("forward")}, QStringList{QStringLiteral("backward"), QStringLiteral("passes")},
    QStringList{QStringLiteral("update")},  QStringList{QStringLiteral("merge"), QStringLiteral("snapshot")},
    QStringList{QStringLiteral("skew")},    QStringList{QStringLiteral("transfer"), QStringLiteral("reduce")},
    QStringList{QStringLiteral("wait")},    QStringList{QStringLiteral("eval")},
    QStringList{QStringLiteral("data")}};

}  // namespace

KindChecks::KindChecks(QWidget* parent) : QWidget(parent) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(2);
    for (const QStringList& kinds : kKindsOfChecks) {
        auto* check = new QCheckBox(kinds.front());
        check->setChecked(true);
        check->setAccessibleName(tr("Draw %1").arg(kinds.front()));
        const int place = static_cast<int>(checks_.size());
        grid->addWidget(check, place / kColumnsOfKinds, place % kColumnsOfKinds);
        checks_.push_back(check);
        connect(check, &QCheckBox::clicked, this, &KindChecks::changed);
    }
    setFocusProxy(checks_.front());
}

void KindChecks::setHidden(const QStringList& hidden) {
    others_ = hidden;
    for (std::size_t i = 0; i < checks_.size(); ++i) {
        checks_[i]->setChecked(!hidden.contains(kKindsOfChecks[i].front()));
        if (checks_[i]->isChecked()) continue;
        for (const QString& kind : kKindsOfChecks[i]) others_.removeAll(kind);
    }
}

QStringList KindChecks::hidden() const {
    QStringList hidden;
    for (std::size_t i = 0; i < checks_.size(); ++i) {
        if (!checks_[i]->isChecked()) hidden << kKindsOfChecks[i];
    }
    for (const QString& kind : others_) {
        if (!hidden.contains(kind)) hidden << kind;
    }
    return hidden;
}

}  // namespace dasgd::gui
