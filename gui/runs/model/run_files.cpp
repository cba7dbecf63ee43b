#include "gui/runs/model/run_files.h"

#include <QStringList>
#include <algorithm>
#include <charconv>
#include <optional>

#include "gui/kit/words/words.h"
#include "storage/write/store.h"

namespace dasgd::gui {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostNamed = 6;

struct Entry {
    fs::path path;
    std::uintmax_t bytes = 0;  // for a folder: total of its content
};

std::uintmax_t sizeOf(const fs::path& path) {
    std::error_code error;
    if (fs::symlink_status(path, error).type() != fs::file_type::regular) return storage::bytesOfFiles(path);
    const std::uintmax_t bytes = fs::file_size(path, error);
    return error ? 0 : bytes;
}

// Sorted by name, without links. Files may appear and vanish while a run is live.
std::vector<Entry> entriesOf(const fs::path& folder) {
    std::vector<Entry> entries;
    std::error_code error;
    for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error)) {
        std::error_code gone;
        if (!each->is_symlink(gone)) entries.push_back({each->path(), sizeOf(each->path())});
    }
    std::ranges::sort(entries, {}, &Entry::path);
    return entries;
}

QString inWords(std::uintmax_t bytes) { return bytesInWords(static_cast<double>(bytes)).text(); }

QString nameOf(const Entry& entry) { return QString::fromStdString(entry.path.filename().string()); }

// Step of a complete checkpoint, named "step-400".
std::optional<std::int64_t> stepOf(const Entry& entry) {
    const std::string name = entry.path.filename().string();
    constexpr std::string_view prefix = "step-";
    std::int64_t step = 0;
    if (!name.starts_with(prefix)) return std::nullopt;
    const auto [end, error] = std::from_chars(name.data() + prefix.size(), name.data() + name.size(), step);
    return error == std::errc() && end == name.data() + name.size() ? std::optional(step) : std::nullopt;
}

// Newest first.
QString checkpointsIn(const std::vector<Entry>& entries) {
    std::vector<std::pair<std::int64_t, std::uintmax_t>> whole;
    for (const Entry& entry : entries) {
        if (const auto step = stepOf(entry)) whole.emplace_back(*step, entry.bytes);
    }
    std::ranges::sort(whole, std::greater());
    QStringList words;
    for (const auto& [step, bytes] : whole) {
        if (static_cast<std::size_t>(words.size()) == kMostNamed) break;
        words << QStringLiteral("step %1, %2").arg(step).arg(inWords(bytes));
    }
    QString text = words.join(QStringLiteral("; "));
    if (whole.size() > kMostNamed) text += QStringLiteral("; … %1 more").arg(whole.size() - kMostNamed);
    return text;
}

QString namesOf(const std::vector<Entry>& entries) {
    QStringList words;
    std::uintmax_t all = 0;
    for (const Entry& entry : entries) {
        all += entry.bytes;
        if (static_cast<std::size_t>(words.size()) < kMostNamed)
            words << nameOf(entry) + QStringLiteral(", ") + inWords(entry.bytes);
    }
    if (entries.size() <= kMostNamed) return words.join(QStringLiteral("; "));
    return QStringLiteral("%1 files, %2").arg(entries.size()).arg(inWords(all));
}

}  // namespace

RunFiles filesOf(const fs::path& folder) {
    std::error_code error;
    RunFiles files;
    if (!fs::is_directory(folder, error)) return files;
    files.folder = QString::fromStdString(fs::absolute(folder, error).lexically_normal().string());
    const auto add = [&files](const char* name, const QString& words) {
        if (!words.isEmpty()) files.lines.emplace_back(QString::fromLatin1(name), words);
    };
    const auto file = [&folder](const char* name) {
        std::error_code gone;
        return fs::is_regular_file(folder / name, gone)
                   ? QStringLiteral("%1, %2").arg(QString::fromStdString(fs::path(name).filename().string()),
                                                  inWords(sizeOf(folder / name)))
                   : QString();
    };
    add("final model", file("model.safetensors"));
    add("best model", file("checkpoints/best.safetensors"));
    add("checkpoints", checkpointsIn(entriesOf(folder / "checkpoints")));
    add("artefacts", namesOf(entriesOf(folder / "artefacts")));
    add("logs", namesOf(entriesOf(folder / "logs")));
    // Journals are deleted once lab.db holds all of their records; the lock files beside them stay.
    std::uintmax_t journal = 0;
    for (const Entry& entry : entriesOf(folder / "journal")) {
        if (fs::is_directory(entry.path, error)) journal += entry.bytes;
    }
    if (journal > 0) add("journal", inWords(journal));
    return files;
}

}  // namespace dasgd::gui
