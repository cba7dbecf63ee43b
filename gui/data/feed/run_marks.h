// Actions on several runs at once: starring and archiving.
#pragma once

#include <vector>

#include "gui/data/feed/notes_query.h"

namespace dasgd::gui {

[[nodiscard]] QStringList idsOf(const std::vector<RunItemPtr>& runs);

// Stars the runs, or removes the star if all of them have one.
void starRuns(NotesQuery& notes, const std::vector<RunItemPtr>& runs);

// Archives the runs, or restores them if all are archived. Returns false without any effect if all of them are live, as
// an archived run would not be seen running.
bool archiveRuns(NotesQuery& notes, std::vector<RunItemPtr> runs);

}  // namespace dasgd::gui
