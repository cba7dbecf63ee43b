// Export of a page's figures by `dasgd-lab figure` in a process of its own, since drawing them takes longer than a
// frame. One export at a time.
#pragma once

#include <QAbstractButton>
#include <QProcess>
#include <memory>

#include "gui/data/session/session.h"
#include "gui/figures/model/figure_spec.h"
#include "gui/kit/parts/parts.h"

namespace dasgd::gui {

class FigureExport : public QObject {
    Q_OBJECT

public:
    // `message` shows the folder of the figures or the error; `button` is disabled during an export.
    FigureExport(Session& session, QAbstractButton& button, MessageBar& message, QObject* parent);
    ~FigureExport() override;  // a running export goes on without the window until its folder is complete
    // Writes the shown figures to one folder: `name` below `figures` of the workspace, with a number behind it if it
    // exists. Figures with nothing to draw are left out; `besides` is added to the message.
    void writeShown(const QString& name, const std::vector<NamedFigure>& figures, const QString& besides = {});
    // Writes the bundle of a saved figure to such a folder.
    void writeSaved(const QString& name, const QString& file);
    // Clears the message of the last export, unless one is running. Called when the page shows something else.
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
    QString besides_;  // addition to the message of the running export
    QString said_;     // message of the last export that ended
};

}  // namespace dasgd::gui
