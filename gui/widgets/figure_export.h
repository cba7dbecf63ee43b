// Figures of what a page shows, written by `dasgd-lab figure` in a process of its own: drawing them takes longer than a
// frame. One at a time.
#pragma once

#include <QAbstractButton>
#include <QProcess>
#include <memory>

#include "gui/models/figures/figure_spec.h"
#include "gui/models/live/session.h"
#include "gui/widgets/parts.h"

namespace dasgd::gui {

class FigureExport : public QObject {
    Q_OBJECT

public:
    // Says in `message` where the figures are, or what went wrong; `button` is disabled meanwhile.
    FigureExport(Session& session, QAbstractButton& button, MessageBar& message, QObject* parent);
    ~FigureExport() override;  // what is under way goes on without the window, and its folder gets whole
    // What a page shows, as it is, in one folder: `name` below `figures` of the workspace, with a number after it where
    // it is taken. Those with nothing to draw are left out; `besides` is said after where the others are.
    void writeShown(const QString& name, const std::vector<NamedFigure>& figures, const QString& besides = {});
    // The bundle of a saved figure, in such a folder.
    void writeSaved(const QString& name, const QString& file);
    // Something else is shown: what was said of figures is taken away, unless they are still being written.
    void forget();
    [[nodiscard]] bool busy() const { return process_ != nullptr; }

signals:
    void written(const QString& folder);

private:
    void start(const QString& name, const QStringList& what, const QByteArray& input = {});
    void end(const QString& words, MessageBar::Kind kind);

    Session& session_;
    QAbstractButton& button_;
    MessageBar& message_;
    std::unique_ptr<QProcess> process_;
    QString besides_;  // of what is under way
    QString said_;     // of what has ended
};

}  // namespace dasgd::gui
