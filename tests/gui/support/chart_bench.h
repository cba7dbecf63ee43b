// A chart of the training loss, of a session that has shown a run; as it is before anybody chose anything.
#pragma once

#include <QSettings>
#include <memory>

#include "gui/run/chart/chart_card.h"
#include "tests/gui/support/session_bench.h"

namespace dasgd::gui {

class ChartBench : public SessionBench {
protected:
    void SetUp() override {
        QSettings(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("dasgd-lab"), QStringLiteral("dasgd-lab"))
            .clear();
        look();
        card_ = std::make_unique<ChartCard>(ChartSpec{QStringLiteral("of a test"), "train/loss"}, session_, testLook());
        card_->refresh();
    }
    std::unique_ptr<ChartCard> card_;
};

}  // namespace dasgd::gui
