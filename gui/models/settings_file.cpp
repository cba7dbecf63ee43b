#include "gui/models/settings_file.h"

#include <QThreadPool>
#include <memory>
#include <utility>

namespace dasgd::gui {

void keepSettings(const std::function<void(QSettings& settings)>& change) {
    // Objects of one file share their values; the one with something to write does so in its destructor.
    auto settings = std::make_shared<QSettings>(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("dasgd-lab"),
                                                QStringLiteral("dasgd-lab"));
    change(*settings);
    // Else the event loop of this thread would have it written here.
    settings->moveToThread(nullptr);
    QThreadPool::globalInstance()->start([last = std::move(settings)]() mutable { last.reset(); });
}

}  // namespace dasgd::gui
