#include "gui/runs/model/code_between.h"

#include <QJsonDocument>
#include <QJsonObject>

#include "gui/kit/words/cli_message.h"
#include "gui/kit/words/released_process.h"

namespace dasgd::gui {

CodeDiff readCodeDiff(const QByteArray& output, const QByteArray& errors, int status) {
    const QJsonObject code = QJsonDocument::fromJson(output).object()[QLatin1String("code")].toObject();
    if (status == 0 && !code.isEmpty()) {
        return {.diff = code[QLatin1String("between")].toString(),
                .unknown = code[QLatin1String("unknown")].toString()};
    }
    const QString said = withoutProgramName(QString::fromUtf8(errors).trimmed());
    return {.unknown = said.isEmpty() ? QObject::tr("`dasgd diff` ended with exit status %1").arg(status) : said};
}

CodeBetween::CodeBetween(QString program, std::filesystem::path workspace, int patienceMs, QObject* parent)
    : QObject(parent), program_(std::move(program)), workspace_(std::move(workspace)) {
    patience_.setSingleShot(true);
    patience_.setInterval(patienceMs);
    connect(&patience_, &QTimer::timeout, this, [this] {
        end();
        take({.unknown = tr("`dasgd diff` gave no answer for %1 s").arg(patience_.interval() / 1000)});
    });
}

CodeBetween::~CodeBetween() { end(); }

void CodeBetween::ask(const QString& here, const QString& there) {
    if (here == here_ && there == there_) return;
    forget();
    here_ = here;
    there_ = there;
    if (program_.isEmpty()) {
        take({.unknown = tr("there is no `dasgd` program beside this one or on the PATH")});
        return;
    }
    process_ = std::make_unique<QProcess>();
    connect(process_.get(), &QProcess::finished, this, [this](int status) {
        const CodeDiff answer =
            readCodeDiff(process_->readAllStandardOutput(), process_->readAllStandardError(), status);
        end();
        take(answer);
    });
    connect(process_.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;
        const QString why = process_->errorString();
        end();
        take({.unknown = tr("%1 cannot be started (%2)").arg(program_, why)});
    });
    process_->setStandardInputFile(QProcess::nullDevice());
    patience_.start();
    process_->start(program_, {QStringLiteral("diff"), here, there, QStringLiteral("--json"),
                               QStringLiteral("--workspace"), QString::fromStdString(workspace_.string())});
}

void CodeBetween::forget() {
    end();
    answer_.reset();
    here_.clear();
    there_.clear();
}

void CodeBetween::end() {
    patience_.stop();
    if (!process_) return;
    if (process_->state() == QProcess::NotRunning) {
        process_->disconnect(this);
        process_.release()->deleteLater();
    } else {
        releaseProcess(std::move(process_), this)->kill();
    }
}

void CodeBetween::take(CodeDiff answer) {
    answer_ = std::move(answer);
    emit answered();
}

}  // namespace dasgd::gui
