// A process that outlives the object that started it.
#pragma once

#include <QProcess>
#include <memory>

namespace dasgd::gui {

// Releases the process from its owner: `listener` receives no more of its signals, it keeps running, and its QProcess
// is deleted when it ends. Does not wait, unlike the destructor of a running QProcess, which kills and waits.
inline QProcess* releaseProcess(std::unique_ptr<QProcess> process, const QObject* listener) {
    QProcess* running = process.release();
    running->disconnect(listener);
    QObject::connect(running, &QProcess::finished, running, &QObject::deleteLater);
    return running;
}

}  // namespace dasgd::gui
