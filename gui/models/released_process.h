// A process that outlives the object that started it.
#pragma once

#include <QProcess>
#include <memory>

namespace dasgd::gui {

// `listener` hears nothing of the process any more; the process goes on, and its object goes when it ends. Never waits,
// while the destructor of a running QProcess kills and waits.
inline QProcess* releaseProcess(std::unique_ptr<QProcess> process, const QObject* listener) {
    QProcess* running = process.release();
    running->disconnect(listener);
    QObject::connect(running, &QProcess::finished, running, &QObject::deleteLater);
    return running;
}

}  // namespace dasgd::gui
