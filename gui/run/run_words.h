// Texts in the heads of the pages that show runs.
#pragma once

#include <QString>
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <optional>

#include "gui/data/feed/queue_query.h"
#include "gui/data/runs/run_config.h"
#include "gui/data/session/engine.h"
#include "gui/data/session/session.h"
#include "gui/kit/words/words.h"
#include "gui/run/model/rank_states.h"
#include "storage/read/run_reader.h"

namespace dasgd::gui {

[[nodiscard]] inline QString clusterWords(const storage::RunRow& row, const std::optional<storage::RunDetail>& detail) {
    QStringList parts{row.workers == 1 ? QStringLiteral("1 rank") : QStringLiteral("%1 ranks").arg(row.workers),
                      QString::fromStdString(row.backend)};
    if (row.imported()) parts << QStringLiteral("imported from a trace");
    if (row.timeSimulated) parts << QStringLiteral("time simulated");
    if (detail && detail->linkEmulated) parts << QStringLiteral("link emulated ") + linkInWords(detail->link);
    return parts.join(QStringLiteral(" · "));
}

[[nodiscard]] inline QString progressWords(const storage::RunRow& row, const storage::RunDetail& detail) {
    QStringList parts;
    const double steps = static_cast<double>(row.steps);
    if (detail.stepsPerEpoch > 0 && detail.plannedSteps > 0) {
        parts << QStringLiteral("epoch %1 of %2")
                     .arg(shortNumber(steps / detail.stepsPerEpoch, 2))
                     .arg(shortNumber(static_cast<double>(detail.plannedSteps) / detail.stepsPerEpoch, 2));
    }
    QString time = clockText(row.wallS) + QStringLiteral(" elapsed");
    if (row.status == "running" && row.steps > 0 && detail.plannedSteps > row.steps) {
        const double left = row.wallS * (static_cast<double>(detail.plannedSteps) / steps - 1);
        time += QStringLiteral(", ") + clockText(left) + QStringLiteral(" left");
    }
    return (parts << time).join(QStringLiteral("     "));
}

// "9 runs", "1 running", "3 queued". Queued runs are those of the workspace's queue, as in the bar above the table;
// runs queued elsewhere, runs to come of a sweep and held runs are counted apart.
[[nodiscard]] inline QStringList countsInWords(const std::vector<RunItemPtr>& runs, const QueueState& queue) {
    qint64 running = 0, ofSweeps = 0, held = 0, elsewhere = 0;
    for (const RunItemPtr& run : runs) {
        const storage::RunRow& row = run->row;
        running += row.status == "running" ? 1 : 0;
        if (row.status != "queued") continue;
        if (row.held) {
            ++held;
        } else if (!row.origin.empty()) {
            ++elsewhere;
        } else if (!row.inQueue) {
            ++ofSweeps;
        }
    }
    QStringList words{counted(static_cast<qint64>(runs.size()), "run")};
    const auto add = [&words](qint64 count, const QString& what) {
        if (count > 0) words << grouped(count) + what;
    };
    add(running, QStringLiteral(" running"));
    add(queue.waiting, QStringLiteral(" queued"));
    add(elsewhere, QStringLiteral(" queued elsewhere"));
    add(ofSweeps, QStringLiteral(" to come of sweeps that run"));
    add(held, QStringLiteral(" held"));
    return words;
}

// The reason why ranks that train have no rate yet; "" where all have one.
[[nodiscard]] inline QString rateLackInWords(const RankStates& now) {
    const auto lacks = [](const RankNow& rank) { return rank.trains && !rank.stepsPerS; };
    const auto rank = std::ranges::find_if(now.now, lacks);
    if (rank == now.now.end()) return {};
    if (rank->pause == SpanKind::Eval) return QStringLiteral("after an evaluation");
    if (rank->pause) return QStringLiteral("after a checkpoint");
    const QString what = QLatin1String(now.hasRounds ? "round" : "steps");
    return rank->isPart ? QStringLiteral("first ") + what
                        : QStringLiteral("no %1 in %2 s")
                              .arg(now.hasRounds ? what : QStringLiteral("two steps"))
                              .arg(shortNumber(now.seconds, 2));
}

// Samples per second: of the timed windows, else of the newest rounds with the seconds that they cover. `now` is empty
// for a run that has ended.
[[nodiscard]] inline Quantity speedInWords(std::optional<double> timed, const RankStates& now) {
    if (timed) return {grouped(std::llround(*timed)), {}};
    if (now.samplesPerS) {
        return {grouped(std::llround(*now.samplesPerS)),
                QStringLiteral("now, %1 s").arg(shortNumber(now.rateSeconds, 2))};
    }
    return {kAbsent, rateLackInWords(now)};
}

// A command asked something of runs that had all ended by then: what it says is no error.
[[nodiscard]] inline bool cameTooLate(Session& session, const Engine::About& about) {
    return about.ofLive && !about.runs.isEmpty() && std::ranges::none_of(about.runs, [&](const QString& id) {
               const RunItemPtr run = session.runs().find(id);
               return run && isLive(run->row);
           });
}

// "8 of 12 configurations drawn", for an experiment with more configurations than are drawn; else "".
[[nodiscard]] inline QString drawnWords(const Session& session) {
    const std::size_t drawn = session.shown().size();
    if (drawn >= session.showable()) return {};
    return QStringLiteral("%1 of %2 configurations drawn").arg(drawn).arg(session.showable());
}

}  // namespace dasgd::gui
