#include "gui/experiment/model/unsaved_file.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>

namespace dasgd::gui {

namespace {

const QString kTextKey = QStringLiteral("text"), kFolderKey = QStringLiteral("folder");

// Empty without a file; nullopt if the file is another one, which is then left alone.
std::optional<std::vector<UnsavedText>> textsIn(const QString& path) {
    const QFileInfo info(path);
    if (!info.exists()) return std::vector<UnsavedText>();
    QFile file(path);
    // Reading a pipe or a device may never end.
    if (!info.isFile() || !file.open(QIODevice::ReadOnly)) return std::nullopt;
    const QJsonDocument document = QJsonDocument::fromJson(file.readAll());
    if (!document.isArray()) return std::nullopt;
    std::vector<UnsavedText> texts;
    for (const QJsonValue& one : document.array())
        texts.push_back({one[kTextKey].toString(), one[kFolderKey].toString()});
    return texts;
}

bool putTexts(const QString& path, const std::vector<UnsavedText>& texts) {
    QJsonArray list;
    for (const UnsavedText& one : texts) list.append(QJsonObject{{kTextKey, one.text}, {kFolderKey, one.folder}});
    QSaveFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(QJsonDocument(list).toJson()) >= 0 && file.commit();
}

}  // namespace

QString UnsavedFile::pathOf(int window, const char* suffix) const {
    return folder_ + QStringLiteral("/unsaved-%1").arg(window) + QLatin1String(suffix);
}

Result<std::optional<storage::FileLock>> UnsavedFile::lockOf(int window) const {
    return storage::FileLock::tryNow(pathOf(window, ".lock").toStdString(), storage::FileLock::Kind::Exclusive);
}

std::vector<UnsavedText> UnsavedFile::takeOver() {
    std::vector<UnsavedText> texts;
    // Windows take the first free number, so the numbers have no gap.
    for (int window = 1;; ++window) {
        const QString path = pathOf(window, ".json");
        if (!QFileInfo::exists(path) && !QFileInfo::exists(pathOf(window, ".lock"))) return texts;
        auto lock = lockOf(window);
        if (lock && !*lock) continue;
        const auto own = textsIn(path);
        if (!own || own->empty() || (!texts.empty() && texts.size() + own->size() >= kMost)) continue;
        texts.insert(texts.end(), own->begin(), own->end());
        // Without a lock, as on a read-only disk, the texts are shown and their file is left alone.
        if (lock) held_.push_back({path, std::move(**lock)});
    }
}

void UnsavedFile::claim() {
    QDir().mkpath(folder_);
    for (int window = 1;; ++window) {
        auto lock = lockOf(window);
        if (!lock) return;
        const QString path = pathOf(window, ".json");
        const auto there = *lock ? textsIn(path) : std::nullopt;
        // A file with texts stays for the next window's takeOver().
        if (there && there->empty()) return held_.push_back({path, std::move(**lock)});
    }
}

void UnsavedFile::write(const std::vector<UnsavedText>& texts) {
    if (held_.empty() && !texts.empty()) claim();
    if (held_.empty() || !putTexts(held_.front().path, texts)) return;
    for (auto other = held_.begin() + 1; other != held_.end(); ++other) QFile::remove(other->path);
    held_.erase(held_.begin() + 1, held_.end());
}

}  // namespace dasgd::gui
