// What can be done with runs that wait, and with one that ended early, in a menu and by keys.
#pragma once

#include <QMenu>
#include <functional>
#include <vector>

#include "gui/models/live/engine.h"
#include "gui/models/runs/run_item.h"

namespace dasgd::gui {

// Where there is one run that ended early and left a checkpoint: to go on from it. Where some of `runs` wait: to hold,
// release and move those. Else nothing. `engine` is asked.
void addQueueMenu(QMenu& menu, Engine& engine, const std::vector<RunItemPtr>& runs);
// Alt with Up, Down, Home and End moves what `chosen` answers, Ctrl+H holds it or releases it; Ctrl+Shift+R goes on
// with the one that ended early; the palette has each by its name. `refuse` is told why where none of the chosen runs
// is one for it. `engine` outlives the table.
void addQueueKeys(QWidget& table, Engine& engine, const std::function<std::vector<RunItemPtr>()>& chosen,
                  const std::function<void(const QString& why)>& refuse);

// Why a run ended early, and where it left a checkpoint, how it goes on; "" where no reason is known.
[[nodiscard]] QString endInWords(const RunItem& run);

}  // namespace dasgd::gui
