#include "gui/run/queue_actions.h"

#include <QAction>
#include <algorithm>

#include "gui/data/feed/run_marks.h"
#include "gui/kit/parts/keyed_action.h"

namespace dasgd::gui {

namespace {

struct QueueAction {
    const char* action;
    const char* words;
    const char* keys;
};
constexpr QueueAction kMoves[]{{"first", "Start first", "Alt+Home"},
                               {"up", "Earlier", "Alt+Up"},
                               {"down", "Later", "Alt+Down"},
                               {"last", "Start last", "Alt+End"}};

std::vector<RunItemPtr> waitingOf(std::vector<RunItemPtr> runs) {
    std::erase_if(runs, [](const RunItemPtr& run) { return !run->row.queueTurn; });
    return runs;
}

QString holdOrRelease(const std::vector<RunItemPtr>& waiting) {
    const bool all = std::ranges::all_of(waiting, [](const RunItemPtr& run) { return run->row.held; });
    return all ? QStringLiteral("release") : QStringLiteral("hold");
}

}  // namespace

QString resumable(const std::vector<RunItemPtr>& runs) {
    if (runs.size() != 1 || !hasEndedEarly(runs.front()->row)) return {};
    // Checkpoints on another machine are not known here, so such a run may have one.
    const bool isElsewhere = !runs.front()->row.origin.empty();
    return runs.front()->hasCheckpoint || isElsewhere ? runs.front()->id : QString();
}

void addQueueMenu(QMenu& menu, Engine& engine, const std::vector<RunItemPtr>& runs) {
    if (const QString early = resumable(runs); !early.isEmpty()) {
        QObject::connect(menu.addAction(QMenu::tr("Resume from its checkpoint\tCtrl+Shift+R")), &QAction::triggered,
                         &engine, [&engine, early] { engine.resume(early); });
    }
    const std::vector<RunItemPtr> waiting = waitingOf(runs);
    if (waiting.empty()) return;
    const auto add = [&](const QString& text, const QString& action) {
        QObject::connect(menu.addAction(text), &QAction::triggered, &engine,
                         [&engine, action, ids = idsOf(waiting)] { engine.queue(action, ids); });
    };
    menu.addSeparator();
    const QString hold = holdOrRelease(waiting);
    add(hold == QLatin1String("hold") ? QMenu::tr("Pause: hold, do not start\tCtrl+H")
                                      : QMenu::tr("Release: may start\tCtrl+H"),
        hold);
    for (const QueueAction& move : kMoves) {
        add(QMenu::tr(move.words) + QLatin1Char('\t') + QLatin1String(move.keys), QLatin1String(move.action));
    }
}

void addQueueKeys(QWidget& table, Engine& engine, const std::function<std::vector<RunItemPtr>()>& chosen,
                  const std::function<void(const QString& why)>& refuse) {
    const auto onKey = [&](const char* words, const char* keys,
                           std::function<QString(const std::vector<RunItemPtr>&)> action) {
        const auto ask = [&engine, chosen, refuse, action = std::move(action)] {
            const std::vector<RunItemPtr> waiting = waitingOf(chosen());
            if (waiting.empty())
                return refuse(QMenu::tr("None of the chosen runs waits: there is nothing to hold or move"));
            engine.queue(action(waiting), idsOf(waiting));
        };
        addKeyedAction(table, QMenu::tr(words), QMenu::tr("In the queue: of the chosen runs those that wait"),
                       QKeySequence(QLatin1String(keys)), ask, Qt::WidgetShortcut);
    };
    addKeyedAction(
        table, QMenu::tr("Resume from its checkpoint"), QMenu::tr("The chosen run, which ended early"),
        QKeySequence(QStringLiteral("Ctrl+Shift+R")),
        [&engine, chosen, refuse] {
            const QString early = resumable(chosen());
            if (early.isEmpty()) return refuse(QMenu::tr("Choose one run that ended early and left a checkpoint"));
            engine.resume(early);
        },
        Qt::WidgetShortcut);
    onKey("Pause: hold or release", "Ctrl+H", holdOrRelease);
    for (const QueueAction& move : kMoves) {
        onKey(move.words, move.keys, [move](const auto&) { return QString(QLatin1String(move.action)); });
    }
}

QString endInWords(const RunItem& run) {
    const QString why = QString::fromStdString(run.row.error);
    if (why.isEmpty() || !hasEndedEarly(run.row) || !run.hasCheckpoint) return why;
    return QMenu::tr("%1. Resume goes on from its checkpoint.").arg(why);
}

}  // namespace dasgd::gui
