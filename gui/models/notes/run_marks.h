// What one does to several runs at once: stars, and putting away.
#pragma once

#include <vector>

#include "gui/models/notes/notes_query.h"

namespace dasgd::gui {

[[nodiscard]] QStringList idsOf(const std::vector<RunItemPtr>& runs);

// Stars them; takes the star away where all of them have one.
void starRuns(NotesQuery& notes, const std::vector<RunItemPtr>& runs);

// Puts them away; restores them where all are away. False where nothing is done, since all of them are under way: a run
// that is put away is not seen to run.
bool archiveRuns(NotesQuery& notes, std::vector<RunItemPtr> runs);

}  // namespace dasgd::gui
