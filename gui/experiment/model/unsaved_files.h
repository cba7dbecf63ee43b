// Files that hold the unsaved experiments of a window. Each window of a workspace has its own files, under a lock that
// the kernel releases with the process; the files of a window that is gone are taken over by the next window. UI
// thread; the disk is read and written on a thread of its own.
#pragma once

#include <QObject>
#include <QStringList>
#include <QThreadPool>
#include <optional>
#include <vector>

#include "storage/base/workspace.h"

namespace dasgd::gui {

class UnsavedFiles : public QObject {
    Q_OBJECT

public:
    static constexpr int kPlaces = 6;  // files per window

    // In `folder` the first window has unsaved-1.toml to unsaved-6.toml under unsaved-1.lock, a second one
    // unsaved-2-1.toml and so on under unsaved-2.lock. A window creates files only when it writes or takes over texts.
    explicit UnsavedFiles(QString folder, QObject* parent = nullptr);
    // Finishes the writes under way and releases the files to the next window.
    ~UnsavedFiles() override;

    // Takes over texts of closed windows, of further ones only while the total is less than kPlaces; found() answers.
    // Call once, before write().
    void takeOver();
    // Replaces the texts of this window, at most kPlaces. If they cannot be written, nothing on the disk is removed.
    void write(const QStringList& texts);
    void waitForDone() { pool_.waitForDone(); }

signals:
    void found(const QStringList& texts);  // in the order in which each window wrote them

private:
    [[nodiscard]] QString pathOf(int window, int place) const;
    [[nodiscard]] QString lockPathOf(int window) const;
    [[nodiscard]] bool wasThere(int window) const;
    // nullopt if another window holds it.
    [[nodiscard]] Result<std::optional<storage::FileLock>> lockOf(int window) const;
    [[nodiscard]] QStringList heldBy(int window) const;
    void own(int window, const QStringList& held, storage::FileLock lock);
    // Takes the first window number that is free and whose files are empty; none if no lock can be had.
    void claim();

    const QString folder_;
    // Used on the pool's thread only:
    std::vector<storage::FileLock> locks_;
    QStringList paths_;   // of this window
    QStringList spared_;  // content of each file
    QThreadPool pool_;
};

}  // namespace dasgd::gui
