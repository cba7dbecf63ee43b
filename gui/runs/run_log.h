// The end of the log of the run in the drawer, independent of the session's current run, and a link to the whole log.
#pragma once

#include <QToolButton>
#include <QWidget>

#include "gui/data/feed/feed.h"
#include "gui/run/log_view.h"

namespace dasgd::gui {

class RunLog : public QWidget {
    Q_OBJECT

public:
    explicit RunLog(Feed& feed, QWidget* parent = nullptr);
    // Shows the log of this run; "" hides the widget.
    void setRun(const QString& run);

signals:
    // The user wants the log of this run on the Run page.
    void opened(const QString& run);

protected:
    // The log is read only while the widget is visible.
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    NamedLogQuery& query_;
    LogView* view_;
    QString run_;
};

}  // namespace dasgd::gui
