#include "gui/models/experiment/experiment_files.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QSaveFile>

#include "core/base/toml_reader.h"
#include "gui/models/experiment/experiment_document.h"

namespace dasgd::gui {

namespace {

QString contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

// The first of NAME.toml, NAME-2.toml, … that is not there or has this text.
QString freePath(const QString& path, const QString& text) {
    const QFileInfo info(path);
    QString tried = path;
    for (int i = 2; QFile::exists(tried) && contentOf(tried) != text; ++i) {
        tried = QStringLiteral("%1/%2-%3.toml").arg(info.path(), info.completeBaseName()).arg(i);
    }
    return tried;
}

// Puts what the text names beside it, where nothing of that name is yet: embedded files as copies, others as links.
void bringCompanions(const QString& from, const QString& to, const QString& text) {
    const QStringList named = from.isEmpty() ? QStringList() : namedFiles(text);
    for (const QString& name : named) {
        const QString source = QDir(from).filePath(name), target = QDir(to).filePath(name);
        if (!QFile::exists(source) || QFile::exists(target)) continue;
        if (source.startsWith(u':')) {
            QFile::copy(source, target);
        } else {
            QFile::link(QFileInfo(source).absoluteFilePath(), target);
        }
    }
}

}  // namespace

QString fileStem(const QString& name) {
    static const QRegularExpression other(QStringLiteral("[^A-Za-z0-9_.]+"));
    QString stem = name;
    stem.replace(other, QStringLiteral("-"));
    while (stem.startsWith(u'-') || stem.startsWith(u'.')) stem.remove(0, 1);
    while (stem.endsWith(u'-')) stem.chop(1);
    return stem.isEmpty() ? QStringLiteral("experiment") : stem;
}

ExperimentFiles::ExperimentFiles(QObject* parent) : QObject(parent) { pool_.setMaxThreadCount(1); }

ExperimentFiles::~ExperimentFiles() { pool_.waitForDone(); }

// Signals that a thread emits arrive in the receiver's own.
void ExperimentFiles::read(const QString& path) {
    pool_.start([this, path] {
        QFile file(path);
        if (QFileInfo(path).isDir()) {
            emit failed(tr("%1 is a folder; choose a .toml file").arg(path));
        } else if (!file.open(QIODevice::ReadOnly)) {
            emit failed(tr("%1 cannot be read: %2").arg(path, file.errorString()));
        } else if (file.size() > static_cast<qint64>(kMaxTomlBytes)) {
            emit failed(tr("%1 is larger than 1 MiB; an experiment file is a page of text").arg(path));
        } else {
            // As the editor has it: lines end with one character.
            emit wasRead(path, QString::fromUtf8(file.readAll()).replace(QLatin1String("\r\n"), QLatin1String("\n")));
        }
    });
}

void ExperimentFiles::write(const QString& path, const QString& text, Existing existing, const QString& companions) {
    pool_.start([=, this] {
        const bool differs = QFile::exists(path) && contentOf(path) != text;
        if (differs && existing == Existing::Keep) {
            emit conflicted(path);
            return;
        }
        const QString target = existing == Existing::KeepOther ? freePath(path, text) : path;
        QDir().mkpath(QFileInfo(target).path());
        QSaveFile file(target);
        if (!file.open(QIODevice::WriteOnly) || file.write(text.toUtf8()) < 0 || !file.commit()) {
            emit failed(tr("%1 cannot be written: %2").arg(target, file.errorString()));
            return;
        }
        bringCompanions(companions, QFileInfo(target).path(), text);
        emit written(target);
    });
}

}  // namespace dasgd::gui
