#include "gui/experiment/model/document/experiment_files.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <QStringDecoder>

#include "core/base/schema/toml_reader.h"
#include "gui/experiment/model/document/experiment_document.h"

namespace dasgd::gui {

namespace {

// Converts line ends to those of the editor.
QString withPlainLines(QString text) { return text.replace(QLatin1String("\r\n"), QLatin1String("\n")); }

QString contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

// The files in `folder` that the text names.
QStringList companionsIn(const QString& folder, const QString& text) {
    QStringList names = folder.isEmpty() ? QStringList() : namedFiles(text);
    names.removeIf([&](const QString& name) { return !QFile::exists(QDir(folder).filePath(name)); });
    return names;
}

bool isSame(const QString& one, const QString& other) {
    const QFileInfo a(one), b(other);
    if (a.canonicalFilePath() == b.canonicalFilePath()) return true;
    if (!a.isFile() || !b.isFile() || a.size() != b.size()) return false;
    QFile first(one), second(other);
    return first.open(QIODevice::ReadOnly) && second.open(QIODevice::ReadOnly) && first.readAll() == second.readAll();
}

// The first companion whose place is taken by a different file; "" where there is none.
QString inTheWay(const QString& from, const QString& to, const QStringList& names) {
    for (const QString& name : names) {
        const QString target = QDir(to).filePath(name);
        if (QFileInfo(target).isSymLink() && !QFile::exists(target)) return name;
        if (QFile::exists(target) && !isSame(QDir(from).filePath(name), target)) return name;
    }
    return {};
}

// The first of NAME, NAME-2, … whose place is free or holds the same: NAME.toml or, for a text that names files,
// NAME/NAME.toml.
QString freePath(const QString& path, const QString& text, const QString& from, const QStringList& names) {
    const QFileInfo info(path);
    for (int i = 1;; ++i) {
        const QString number = i == 1 ? QString() : QStringLiteral("-%1").arg(i);
        const QString stem = info.path() + u'/' + info.completeBaseName() + number;
        const QString tried = names.isEmpty() ? stem + QStringLiteral(".toml") : stem + u'/' + info.fileName();
        const bool taken = QFile::exists(tried) && contentOf(tried) != text;
        if (!taken && inTheWay(from, QFileInfo(tried).path(), names).isEmpty()) return tried;
    }
}

// Puts the companions beside the text: embedded files as copies, others as links. Returns the first that failed, else
// "".
QString bringCompanions(const QString& from, const QString& to, const QStringList& names) {
    for (const QString& name : names) {
        const QString source = QDir(from).filePath(name), target = QDir(to).filePath(name);
        if (QFile::exists(target)) continue;
        const bool there = source.startsWith(u':') ? QFile::copy(source, target)
                                                   : QFile::link(QFileInfo(source).absoluteFilePath(), target);
        if (!there) return name;
    }
    return {};
}

}  // namespace

ExperimentFiles::ExperimentFiles(QObject* parent) : QObject(parent) { pool_.setMaxThreadCount(1); }

ExperimentFiles::~ExperimentFiles() { pool_.waitForDone(); }

// The signals are emitted on the pool's thread and delivered on the receiver's.
void ExperimentFiles::read(const QString& path) {
    pool_.start([this, path] {
        QFile file(path);
        // Reading a pipe or a device may never end.
        if (!QFileInfo(path).isFile()) {
            emit unreadable(tr("%1 is no file; choose a .toml file").arg(path));
        } else if (!file.open(QIODevice::ReadOnly)) {
            emit unreadable(tr("%1 cannot be read: %2").arg(path, file.errorString()));
        } else if (file.size() > static_cast<qint64>(kMaxTomlBytes)) {
            emit unreadable(tr("%1 is larger than 1 MiB; an experiment file is a page of text").arg(path));
        } else {
            QStringDecoder decode(QStringDecoder::Utf8);
            const QString text = decode(file.read(static_cast<qint64>(kMaxTomlBytes)));
            if (decode.hasError()) {
                emit unreadable(tr("%1 is not UTF-8, which TOML has to be").arg(path));
                return;
            }
            emit wasRead(path, withPlainLines(text));
        }
    });
}

void ExperimentFiles::write(const QString& path, const QString& text, Existing existing, const QString& companions,
                            const QString& before) {
    pool_.start([=, this] {
        const QStringList names = companionsIn(companions, text);
        const QString target = existing == Existing::KeepOther ? freePath(path, text, companions, names) : path;
        const QString folder = QFileInfo(target).path();
        if (existing == Existing::Unchanged && QFile::exists(target) && withPlainLines(contentOf(target)) != before) {
            emit failed(tr("%1 was changed by another program; save under another name (Ctrl+Shift+S)").arg(target));
            return;
        }
        if (const QString other = inTheWay(companions, folder, names); !other.isEmpty()) {
            emit failed(tr("%1 has another %2 than the experiment; choose another folder").arg(folder, other));
            return;
        }
        QDir().mkpath(folder);
        QSaveFile file(target);
        if (!file.open(QIODevice::WriteOnly) || file.write(text.toUtf8()) < 0 || !file.commit()) {
            emit failed(tr("%1 cannot be written: %2").arg(target, file.errorString()));
            return;
        }
        if (const QString missing = bringCompanions(companions, folder, names); !missing.isEmpty()) {
            emit failed(tr("%1 cannot be put into %2").arg(missing, folder));
            return;
        }
        emit written(target);
    });
}

}  // namespace dasgd::gui
