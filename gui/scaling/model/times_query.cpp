#include "gui/scaling/model/times_query.h"

#include <QElapsedTimer>

namespace dasgd::gui {

namespace {

// Time limit of one refresh, so that live queries need not wait longer.
constexpr qint64 kTimesBudgetMs = 25;

}  // namespace

Status TimesQuery::refresh(LiveStore& store) {
    if (const auto [runs, isNew] = runs_.look(); isNew) left_ = runs;
    if (left_.isEmpty()) return {};
    QElapsedTimer clock;
    clock.start();
    TimesBatch batch;
    for (const QString& id : left_) {
        if (clock.elapsed() >= kTimesBudgetMs) break;
        DASGD_ASSIGN(RunTimes times, storage::readRunTimes(store.reader(), id.toStdString()));
        batch.emplace_back(id.toStdString(), std::move(times));
    }
    left_ = left_.mid(std::ssize(batch));
    deliver([this, batch = std::move(batch)] { emit arrived(batch); });
    if (!left_.isEmpty()) ask();
    return {};
}

}  // namespace dasgd::gui
