// Actions on queued runs and on a run that ended early, in a menu and by keys.
#pragma once

#include <QMenu>
#include <functional>
#include <vector>

#include "gui/data/runs/run_item.h"
#include "gui/data/session/engine.h"

namespace dasgd::gui {

// Adds entries for the chosen `runs`: resume, for a single run that ended early with a checkpoint; hold, release and
// move, for those in the queue. `engine` carries the actions out.
void addQueueMenu(QMenu& menu, Engine& engine, const std::vector<RunItemPtr>& runs);
// Adds the same actions as keys and to the command palette: Alt with Up, Down, Home and End moves the runs that
// `chosen` returns, Ctrl+H holds or releases them, Ctrl+Shift+R resumes one that ended early. `refuse` gets the reason
// if none of the chosen runs fits the action. `engine` outlives the table.
void addQueueKeys(QWidget& table, Engine& engine, const std::function<std::vector<RunItemPtr>()>& chosen,
                  const std::function<void(const QString& why)>& refuse);

// Id of the run to resume: a single run that ended early and may have a checkpoint; else "".
[[nodiscard]] QString resumable(const std::vector<RunItemPtr>& runs);

// The reason why a run ended and, if it left a checkpoint, how to resume it; "" where no reason is known.
[[nodiscard]] QString endInWords(const RunItem& run);

}  // namespace dasgd::gui
