#include "gui/figures/export/figure_export.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <utility>

#include "gui/kit/words/released_process.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

constexpr int kHandOverMs = 10'000;  // time for the program to begin reading

// `wanted`, or with a number behind it if it exists: existing figures may be in a paper already and are kept.
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
    // The process must have received its whole input before it is left alone; a pipe takes that at once.
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
        // Warnings of a successful export, such as a figure higher than a page.
        const QString warnings = QString::fromUtf8(process_->readAllStandardError()).trimmed();
        end(tr("Figures are in %1").arg(out) + besides_ + (warnings.isEmpty() ? QString() : u'\n' + warnings),
            MessageBar::Kind::Note);
        emit written(out);
    });
    connect(process_.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;
        end(tr("%1 cannot be started: %2").arg(process_->program(), process_->errorString()), MessageBar::Kind::Error);
    });
    // The file names on standard output are not needed; a pipe without a reader would break when the window closes.
    process_->setStandardOutputFile(QProcess::nullDevice());
    process_->start(QCoreApplication::applicationFilePath(),
                    QStringList{QStringLiteral("figure")} + what +
                        QStringList{QStringLiteral("--workspace"), workspace, QStringLiteral("--out"), out});
    if (!process_) return;
    process_->write(input);
    process_->closeWriteChannel();
}

void FigureExport::end(const QString& words, MessageBar::Kind kind) {
    // deleteLater(), since the process is the sender of the present signal.
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
