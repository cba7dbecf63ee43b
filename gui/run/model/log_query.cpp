#include "gui/run/model/log_query.h"

#include <QCollator>
#include <QDir>
#include <QFile>
#include <QLocale>
#include <algorithm>
#include <utility>

namespace dasgd::gui {

void LogQuery::want(const QString& file) {
    wish_.change([&](Wish& wish) { wish.file = file; });
}

// An unreadable log counts as absent, as the run's own error explains the fault.
Status LogQuery::refresh(LiveStore& store) {
    const auto [wish, anew] = wish_.look();
    const QString run = wish.run.value_or(store.watch().run);
    if (anew || run != delivered_.runId) interval_.hurry();
    if (!interval_.due()) return {};
    const qint64 begun = interval_.now();
    LogTail tail{.runId = run};
    qint64 bytes = 0;
    if (!run.isEmpty()) {
        const QDir folder(QString::fromStdString((store.workspace() / "runs" / run.toStdString() / "logs").string()));
        tail.files = folder.entryList({QStringLiteral("*.log")}, QDir::Files | QDir::NoSymLinks);
        QCollator order{QLocale(QLocale::English)};
        order.setNumericMode(true);
        std::sort(tail.files.begin(), tail.files.end(), order);
        if (!tail.files.isEmpty()) tail.file = tail.files.contains(wish.file) ? wish.file : tail.files.front();
        bytes = tail.file.isEmpty() ? 0 : QFileInfo(folder.filePath(tail.file)).size();
        const bool known =
            !anew && run == delivered_.runId && tail.file == delivered_.file && tail.files == delivered_.files;
        if (known && bytes == bytes_) {
            interval_.spent(interval_.now() - begun);
            return {};
        }
        QFile file(folder.filePath(tail.file));
        if (!tail.file.isEmpty() && file.open(QIODevice::ReadOnly)) {
            tail.cut = bytes > kMostBytes;
            if (tail.cut) file.seek(bytes - kMostBytes);
            tail.text = QString::fromUtf8(file.read(kMostBytes));
            if (tail.cut) tail.text.remove(0, tail.text.indexOf(QLatin1Char('\n')) + 1);
        }
    }
    interval_.spent(interval_.now() - begun);
    if (run.isEmpty() && delivered_.runId.isEmpty()) return {};
    bytes_ = bytes;
    delivered_ = tail;
    deliver([this, tail = std::move(tail)] { emit arrived(tail); });
    return {};
}

void NamedLogQuery::wantRun(const QString& run) {
    wish_.change([&](Wish& wish) { wish.run = run; });
}

}  // namespace dasgd::gui
