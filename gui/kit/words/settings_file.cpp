#include "gui/kit/words/settings_file.h"

#include <QThreadPool>
#include <memory>
#include <utility>

namespace dasgd::gui {

void keepSettings(const std::function<void(QSettings& settings)>& change) {
    // QSettings objects of one file share their values; the one with changes writes them in its destructor.
    auto settings = std::make_shared<QSettings>(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("dasgd-lab"),
                                                QStringLiteral("dasgd-lab"));
    change(*settings);
    // Without a thread of its own the object is not written by this thread's event loop.
    settings->moveToThread(nullptr);
    QThreadPool::globalInstance()->start([last = std::move(settings)]() mutable { last.reset(); });
}

}  // namespace dasgd::gui
