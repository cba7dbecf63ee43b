#include "gui/runs/run_log.h"

#include <QVBoxLayout>

#include "gui/kit/parts/parts.h"

namespace dasgd::gui {

RunLog::RunLog(Feed& feed, QWidget* parent)
    : QWidget(parent), query_(feed.query<NamedLogQuery>()), view_(new LogView(query_)) {
    auto* column = padded(new QVBoxLayout(this), {0, 0, 0, 0});
    column->addWidget(view_, 1);
    QToolButton* open = makeQuietButton(tr("Log on the Run page"), tr("Open this run where all of it is shown"));
    column->addWidget(open, 0, Qt::AlignLeft);
    connect(open, &QToolButton::clicked, this, [this] { emit opened(run_); });
    hide();
}

void RunLog::setRun(const QString& run) {
    run_ = run;
    view_->setRun(run);
    setVisible(!run.isEmpty());
    query_.wantRun(isVisible() ? run : QString());
}

void RunLog::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    query_.wantRun(run_);
}

void RunLog::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    query_.wantRun({});
}

}  // namespace dasgd::gui
