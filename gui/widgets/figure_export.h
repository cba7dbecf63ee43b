// Figures of what a page shows, written by `dasgd-lab figure` in a process of its own: drawing them takes longer than a
// frame. One at a time.
#pragma once

#include <QPushButton>

#include "gui/models/live/session.h"
#include "gui/widgets/parts.h"

namespace dasgd::gui {

class FigureExport : public QObject {
    Q_OBJECT

public:
    // Says in `message` where the figures are, or what went wrong; `button` is disabled meanwhile.
    FigureExport(Session& session, QPushButton& button, MessageBar& message, QObject* parent);
    // `name`: the folder below `figures` of the workspace, with a number after it where it is taken; `options`: of
    // `dasgd-lab figure`.
    void write(const QString& name, const QStringList& runs, const QStringList& options = {});
    // The bundle of a saved figure.
    void writeSaved(const QString& name, const QString& file);
    [[nodiscard]] bool busy() const { return busy_; }

signals:
    void written(const QString& folder);

private:
    void start(const QString& name, const QStringList& what);

    Session& session_;
    QPushButton& button_;
    MessageBar& message_;
    bool busy_ = false;
};

}  // namespace dasgd::gui
