#include "gui/experiment/model/unsaved_files.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>
#include <utility>

#include "core/base/schema/toml_reader.h"

namespace dasgd::gui {

namespace {

QString sparedIn(const QString& path) {
    QFile file(path);
    // Reading a pipe or a device may never end.
    if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly)) return {};
    return QString::fromUtf8(file.read(static_cast<qint64>(kMaxTomlBytes)));
}

bool spareIn(const QString& path, const QString& text) {
    QSaveFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(text.toUtf8()) >= 0 && file.commit();
}

qsizetype textsIn(const QStringList& held) { return held.size() - held.count(QString()); }

}  // namespace

UnsavedFiles::UnsavedFiles(QString folder, QObject* parent) : QObject(parent), folder_(std::move(folder)) {
    pool_.setMaxThreadCount(1);
}

UnsavedFiles::~UnsavedFiles() { pool_.waitForDone(); }

QString UnsavedFiles::pathOf(int window, int place) const {
    const QString stem = folder_ + QStringLiteral("/unsaved-");
    const QString number = window == 1 ? QString() : QString::number(window) + u'-';
    return stem + number + QString::number(place) + QStringLiteral(".toml");
}

QString UnsavedFiles::lockPathOf(int window) const { return folder_ + QStringLiteral("/unsaved-%1.lock").arg(window); }

bool UnsavedFiles::wasThere(int window) const {
    return QFileInfo::exists(lockPathOf(window)) || QFileInfo::exists(pathOf(window, 1));
}

Result<std::optional<storage::FileLock>> UnsavedFiles::lockOf(int window) const {
    return storage::FileLock::tryNow(lockPathOf(window).toStdString(), storage::FileLock::Kind::Exclusive);
}

QStringList UnsavedFiles::heldBy(int window) const {
    QStringList held;
    for (int place = 1; place <= kPlaces; ++place) held << sparedIn(pathOf(window, place));
    return held;
}

void UnsavedFiles::own(int window, const QStringList& held, storage::FileLock lock) {
    for (int place = 1; place <= kPlaces; ++place) paths_ << pathOf(window, place);
    spared_ << held;
    locks_.push_back(std::move(lock));
}

// Windows take the first free number, so the numbers have no gap.
void UnsavedFiles::takeOver() {
    pool_.start([this] {
        QStringList texts;
        for (int window = 1; wasThere(window); ++window) {
            auto lock = lockOf(window);
            if (lock && !*lock) continue;
            const QStringList held = heldBy(window);
            const bool fits = texts.isEmpty() || texts.size() + textsIn(held) < kPlaces;
            if (textsIn(held) == 0 || !fits) continue;
            texts << held;
            texts.removeAll(QString());
            // Without a lock, as on a read-only disk, the texts are shown and their files left alone.
            if (lock) own(window, held, std::move(**lock));
        }
        emit found(texts);
    });
}

void UnsavedFiles::claim() {
    QDir().mkpath(folder_);
    for (int window = 1;; ++window) {
        auto lock = lockOf(window);
        if (!lock) return;
        const QStringList held = *lock ? heldBy(window) : QStringList();
        // Files with texts stay for the next window's takeOver().
        if (*lock && textsIn(held) == 0) return own(window, held, std::move(**lock));
    }
}

void UnsavedFiles::write(const QStringList& texts) {
    pool_.start([this, texts] {
        if (paths_.isEmpty() && !texts.isEmpty()) claim();
        for (qsizetype place = 0; place < paths_.size(); ++place) {
            const QString text = texts.value(place);
            if (spared_[place] == text) continue;
            // A later file may still hold this text, so it is kept until this write succeeds.
            if (!spareIn(paths_[place], text)) return;
            spared_[place] = text;
        }
    });
}

}  // namespace dasgd::gui
