#include "gui/widgets/figure_export.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <utility>

#include "gui/models/experiment/experiment_files.h"
#include "gui/models/released_process.h"

namespace dasgd::gui {

namespace {

constexpr int kHandOverMs = 10'000;  // until the program has begun to read

// Figures that are there may be in a paper already: the next ones get a folder of their own.
QString freeFolder(const QString& wanted) {
    QString folder = wanted;
    for (int number = 2; QFileInfo::exists(folder); ++number) folder = wanted + QStringLiteral("-%1").arg(number);
    return folder;
}

}  // namespace

FigureExport::FigureExport(Session& session, QAbstractButton& button, MessageBar& message, QObject* parent)
    : QObject(parent), session_(session), button_(button), message_(message) {}

FigureExport::~FigureExport() {
    if (!process_) return;
    process_->disconnect(this);
    // What it is to draw must be with it before nobody writes any more; a pipe takes that at once.
    while (process_->bytesToWrite() > 0 && process_->waitForBytesWritten(kHandOverMs)) continue;
    releaseProcess(std::move(process_), this);
}

void FigureExport::writeShown(const QString& name, const std::vector<NamedFigure>& figures, const QString& besides) {
    if (figures.empty() || busy()) return;
    besides_ = besides;
    start(fileStem(name), {QStringLiteral("-")}, QJsonDocument(jsonOf(figures)).toJson(QJsonDocument::Compact));
}

void FigureExport::writeSaved(const QString& name, const QString& file) { start(name, {file}); }

void FigureExport::start(const QString& name, const QStringList& what, const QByteArray& input) {
    if (busy()) return;
    const QString workspace = QString::fromStdString(session_.feed().workspace().string());
    const QString out = freeFolder(QDir(workspace).absoluteFilePath(QStringLiteral("figures/") + name));
    process_ = std::make_unique<QProcess>();
    button_.setEnabled(false);
    message_.say(tr("Writing figures to %1 …").arg(out), MessageBar::Kind::Note);
    connect(process_.get(), &QProcess::finished, this, [this, out](int status) {
        if (status != 0)
            return end(QString::fromUtf8(process_->readAllStandardError()).trimmed(), MessageBar::Kind::Error);
        // Of a figure that is higher than a page.
        const QString warnings = QString::fromUtf8(process_->readAllStandardError()).trimmed();
        end(tr("Figures are in %1").arg(out) + besides_ + (warnings.isEmpty() ? QString() : u'\n' + warnings),
            MessageBar::Kind::Note);
        emit written(out);
    });
    connect(process_.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;
        end(tr("%1 cannot be started: %2").arg(process_->program(), process_->errorString()), MessageBar::Kind::Error);
    });
    // The names of the files are not read here, and nobody may be left to read them.
    process_->setStandardOutputFile(QProcess::nullDevice());
    process_->start(QCoreApplication::applicationFilePath(),
                    QStringList{QStringLiteral("figure")} + what +
                        QStringList{QStringLiteral("--workspace"), workspace, QStringLiteral("--out"), out});
    if (!process_) return;
    process_->write(input);
    process_->closeWriteChannel();
}

void FigureExport::end(const QString& words, MessageBar::Kind kind) {
    // It is the sender of this very signal.
    process_.release()->deleteLater();
    besides_.clear();
    button_.setEnabled(true);
    message_.say(words, kind);
    said_ = message_.text();
}

void FigureExport::forget() {
    if (!busy() && !said_.isEmpty() && message_.text() == said_) message_.clear();
}

}  // namespace dasgd::gui
