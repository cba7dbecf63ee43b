// The file that holds the unsaved experiments of a window. Each window of a workspace has a file of its own, under a
// lock that the kernel releases with the process; the texts of a window that is gone are taken over by the next window.
// Calls wait for the disk; one thread at a time.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "storage/base/workspace.h"

namespace dasgd::gui {

struct UnsavedText {
    QString text;
    QString folder;  // where relative paths in the text begin; "" where it is not known
    bool operator==(const UnsavedText&) const = default;
};

class UnsavedFile {
public:
    static constexpr std::size_t kMost = 6;  // texts of a window

    // In `folder` the first window has unsaved-1.json under unsaved-1.lock, a second one unsaved-2.json, and so on. A
    // window creates files only when it writes texts.
    explicit UnsavedFile(QString folder) : folder_(std::move(folder)) {}

    // Takes over texts of closed windows, of further ones only while the total is less than kMost, in the order in
    // which each window wrote them. Call once, before write().
    [[nodiscard]] std::vector<UnsavedText> takeOver();
    // Replaces the texts of this window. If they cannot be written, nothing on the disk is removed.
    void write(const std::vector<UnsavedText>& texts);

private:
    struct Held {
        QString path;
        storage::FileLock lock;
    };
    [[nodiscard]] QString pathOf(int window, const char* suffix) const;
    // nullopt if another window holds it.
    [[nodiscard]] Result<std::optional<storage::FileLock>> lockOf(int window) const;
    // Takes the first window number that is free and has no text; none if no lock can be had.
    void claim();

    const QString folder_;
    std::vector<Held> held_;  // this window's file, then those whose texts the next write() moves into it
};

}  // namespace dasgd::gui
