#include "gui/widgets/figure_export.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QProcess>

namespace dasgd::gui {

namespace {

// Figures that are there may be in a paper already: the next ones get a folder of their own.
QString freeFolder(const QString& wanted) {
    QString folder = wanted;
    for (int number = 2; QFileInfo::exists(folder); ++number) folder = wanted + QStringLiteral("-%1").arg(number);
    return folder;
}

}  // namespace

FigureExport::FigureExport(Session& session, QPushButton& button, MessageBar& message, QObject* parent)
    : QObject(parent), session_(session), button_(button), message_(message) {}

void FigureExport::write(const QString& name, const QStringList& runs, const QStringList& options) {
    if (runs.isEmpty()) return;
    start(name, QStringList{QStringLiteral("--runs"), runs.join(QLatin1Char(','))} + options);
}

void FigureExport::writeSaved(const QString& name, const QString& file) { start(name, {file}); }

void FigureExport::start(const QString& name, const QStringList& what) {
    if (busy_) return;
    busy_ = true;
    const QString workspace = QString::fromStdString(session_.feed().workspace().string());
    const QString out = freeFolder(QDir(workspace).absoluteFilePath(QStringLiteral("figures/") + name));
    auto* process = new QProcess(this);
    button_.setEnabled(false);
    message_.say(tr("Writing figures to %1 …").arg(out), MessageBar::Kind::Note);
    const auto end = [this, process](const QString& words, MessageBar::Kind kind) {
        busy_ = false;
        button_.setEnabled(true);
        message_.say(words, kind);
        process->deleteLater();
    };
    connect(process, &QProcess::finished, this, [this, process, out, end](int status) {
        if (status == 0) {
            end(tr("Figures are in %1").arg(out), MessageBar::Kind::Note);
            emit written(out);
            return;
        }
        end(QString::fromUtf8(process->readAllStandardError()).trimmed(), MessageBar::Kind::Error);
    });
    connect(process, &QProcess::errorOccurred, this, [process, end](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;
        end(tr("%1 cannot be started: %2").arg(process->program(), process->errorString()), MessageBar::Kind::Error);
    });
    process->start(QCoreApplication::applicationFilePath(),
                   QStringList{QStringLiteral("figure")} + what +
                       QStringList{QStringLiteral("--workspace"), workspace, QStringLiteral("--out"), out});
}

}  // namespace dasgd::gui
