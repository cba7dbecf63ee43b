#include "gui/scaling/model/times_query.h"

#include <QElapsedTimer>

namespace dasgd::gui {

namespace {

// Time limit of one refresh, so that live queries need not wait longer.
constexpr qint64 kTimesBudgetMs = 25;

}  // namespace

void TimesQuery::request(const QStringList& runs) {
    {
        const std::lock_guard lock(mutex_);
        runs_ = runs;
        replaced_ = true;
    }
    ask();
}

void TimesQuery::putBack(const QStringList& rest) {
    const std::lock_guard lock(mutex_);
    if (!replaced_) runs_ = rest;
}

Status TimesQuery::refresh(LiveStore& store) {
    QStringList runs;
    {
        const std::lock_guard lock(mutex_);
        std::swap(runs, runs_);
        replaced_ = false;
    }
    if (runs.isEmpty()) return {};
    QElapsedTimer clock;
    clock.start();
    TimesBatch batch;
    Status read;
    while (!runs.isEmpty() && clock.elapsed() < kTimesBudgetMs) {
        const std::string run = runs.front().toStdString();
        auto times = storage::readRunTimes(store.reader(), run);
        if (!times) {
            read = tl::unexpected<Error>(std::move(times).error());
            break;
        }
        batch.emplace_back(run, std::move(*times));
        runs.removeFirst();
    }
    deliver([this, batch = std::move(batch)] { emit arrived(batch); });
    if (runs.isEmpty()) return {};
    putBack(runs);
    if (read) ask();
    return read;
}

}  // namespace dasgd::gui
