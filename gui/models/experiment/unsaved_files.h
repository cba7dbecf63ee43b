// The files that a window spares its unsaved experiments in. Each window of a workspace has its own, under a lock that
// the kernel drops with the process; those of a window that is gone, whichever way it went, are taken over by the next
// one. UI thread; the disk is read and written on a thread of its own.
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
    static constexpr int kPlaces = 6;  // files of a window

    // In `folder` the first window has unsaved-1.toml to unsaved-6.toml under unsaved-1.lock, a second one
    // unsaved-2-1.toml and so on under unsaved-2.lock. A window that writes nothing and takes nothing over makes none.
    explicit UnsavedFiles(QString folder, QObject* parent = nullptr);
    // What is to be written is on the disk, and the files are the next window's.
    ~UnsavedFiles() override;

    // Takes over what windows before left, of several of them as long as it is less than kPlaces texts; found()
    // answers. Once, and first.
    void takeOver();
    // The texts of this window, at most kPlaces, in place of those before. Where they cannot be written nothing that is
    // on the disk is taken away.
    void write(const QStringList& texts);
    void waitForDone() { pool_.waitForDone(); }

signals:
    void found(const QStringList& texts);  // each window's in the order that it wrote them in

private:
    [[nodiscard]] QString pathOf(int window, int place) const;
    [[nodiscard]] QString lockPathOf(int window) const;
    [[nodiscard]] bool wasThere(int window) const;
    // nullopt where another window has it.
    [[nodiscard]] Result<std::optional<storage::FileLock>> lockOf(int window) const;
    [[nodiscard]] QStringList heldBy(int window) const;
    void own(int window, const QStringList& held, storage::FileLock lock);
    // The first files that are free and hold nothing; none where no lock can be had.
    void claim();

    const QString folder_;
    // The thread's:
    std::vector<storage::FileLock> locks_;
    QStringList paths_;   // of this window
    QStringList spared_;  // what each holds
    QThreadPool pool_;
};

}  // namespace dasgd::gui
