// The page "What if": how configurations scale with the number of workers, and reports of dasgd calibrate, advise,
// scale and replay.
#include <QButtonGroup>
#include <QHBoxLayout>
#include <QStackedLayout>
#include <QVBoxLayout>

#include "gui/kit/parts/parts.h"
#include "gui/scaling/reports/job_action.h"
#include "gui/scaling/reports_side.h"
#include "gui/scaling/scaling_side.h"

namespace dasgd::gui {

namespace {

class WhatIfPage : public QWidget {
public:
    explicit WhatIfPage(PageContext& context) : scaling_(makeScalingSide(context)), reports_(new ReportsSide(context)) {
        setObjectName(QStringLiteral("page"));
        auto* column = padded(spaced(new QVBoxLayout(this), kGap), {0, 18, 0, 0});
        auto* head = padded(spaced(new QHBoxLayout, 4), {24, 0, 24, 0});
        head->addWidget(makeLabel(tr("What if"), "title"));
        head->addSpacing(10);
        head->addWidget(asScaling_ = makeSide(tr("Scaling"), tr("Runs over their number of workers")));
        head->addWidget(asReports_ = makeSide(tr("Reports"), tr("Calibrations, advice, scalings and replays")));
        head->addStretch();
        column->addLayout(head);
        column->addLayout(sides_ = new QStackedLayout, 1);
        sides_->addWidget(scaling_);
        sides_->addWidget(reports_);
        connect(reports_, &ReportsSide::scalingWanted, this, [this] { turnTo(*scaling_); });
        for (auto signal : {&ReportLibrary::started, &ReportLibrary::failed}) {
            connect(&context.reports, signal, this, [this] { turnTo(*reports_); });
        }
        connect(&context.reports, &ReportLibrary::asked, this, [this] { turnTo(*reports_); });
        const bool isReported = !context.reports.problem().isEmpty();
        turnTo(isReported ? static_cast<QWidget&>(*reports_) : *scaling_);
    }

private:
    QToolButton* makeSide(const QString& text, const QString& help) {
        QToolButton* button = makeQuietButton(text, help);
        button->setObjectName(QStringLiteral("side"));
        button->setCheckable(true);
        group_.addButton(button);
        connect(button, &QToolButton::clicked, this,
                [this, button] { turnTo(button == asReports_ ? static_cast<QWidget&>(*reports_) : *scaling_); });
        return button;
    }

    void turnTo(QWidget& side) {
        sides_->setCurrentWidget(&side);
        (&side == reports_ ? asReports_ : asScaling_)->setChecked(true);
        setFocusProxy(&side);
    }

    QButtonGroup group_;
    QWidget* scaling_;
    ReportsSide* reports_;
    QToolButton *asScaling_ = nullptr, *asReports_ = nullptr;
    QStackedLayout* sides_ = nullptr;
};

const PageRegistry::Add<WhatIfPage> kWhatIfPageEntry{
    {.order = 30, .title = kWhatIfPage, .icon = "M.5 1v13.5H15M3.5 11L8 7.5 14 2"}};

}  // namespace

}  // namespace dasgd::gui
