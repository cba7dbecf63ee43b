// The end of the log of the run in the drawer, whichever run the pages look at, and the way to that run's log.
#pragma once

#include <QToolButton>
#include <QWidget>

#include "gui/models/live/feed.h"
#include "gui/widgets/run/log_view.h"

namespace dasgd::gui {

class RunLog : public QWidget {
    Q_OBJECT

public:
    explicit RunLog(Feed& feed, QWidget* parent = nullptr);
    // "": none, and the widget hides.
    void setRun(const QString& run);

signals:
    // To the log of this run on the Run page.
    void opened(const QString& run);

protected:
    // Nobody reads the log of a drawer that is shut.
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    NamedLogQuery& query_;
    LogView* view_;
    QString run_;
};

}  // namespace dasgd::gui
