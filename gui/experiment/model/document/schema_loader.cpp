#include "gui/experiment/model/document/schema_loader.h"

namespace dasgd::gui {

SchemaLoader::SchemaLoader(QString program, QObject* parent) : QObject(parent), program_(std::move(program)) {
    connect(&process_, &QProcess::finished, this, [this](int code) { finish(code); });
    connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) {
            emit failed(
                tr("%1: cannot be started (%2). Build it with ./lab build.").arg(program_, process_.errorString()));
        }
    });
}

void SchemaLoader::load() {
    if (process_.state() != QProcess::NotRunning || !schema_.sections.empty()) return;
    if (program_.isEmpty()) {
        emit failed(tr("There is no `dasgd` program beside this one or on the PATH: build it with ./lab build."));
        return;
    }
    process_.start(program_, {QStringLiteral("describe"), QStringLiteral("--json")});
}

void SchemaLoader::finish(int status) {
    if (status != 0) {
        const QString said = QString::fromUtf8(process_.readAllStandardError()).trimmed();
        emit failed(tr("`dasgd describe` failed: %1").arg(said.isEmpty() ? tr("exit status %1").arg(status) : said));
        return;
    }
    auto schema = readSchema(process_.readAllStandardOutput().toStdString());
    if (!schema) {
        emit failed(QString::fromStdString(schema.error().message));
        return;
    }
    schema_ = std::move(*schema);
    emit loaded();
}

}  // namespace dasgd::gui
