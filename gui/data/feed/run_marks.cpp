#include "gui/data/feed/run_marks.h"

#include <algorithm>

namespace dasgd::gui {

namespace {

QString countOf(const std::vector<RunItemPtr>& runs) {
    return runs.size() == 1 ? runs.front()->id : QStringLiteral("%1 runs").arg(runs.size());
}

}  // namespace

QStringList idsOf(const std::vector<RunItemPtr>& runs) {
    QStringList ids;
    for (const RunItemPtr& run : runs) ids << run->id;
    return ids;
}

void starRuns(NotesQuery& notes, const std::vector<RunItemPtr>& runs) {
    const bool all = std::all_of(runs.begin(), runs.end(), [](const RunItemPtr& run) { return run->notes.starred; });
    const QString words = all ? QStringLiteral("Took the star from %1") : QStringLiteral("Starred %1");
    if (runs.empty()) return;
    notes.change(idsOf(runs), {.starred = !all}, words.arg(countOf(runs)));
}

bool archiveRuns(NotesQuery& notes, std::vector<RunItemPtr> runs) {
    if (runs.empty()) return true;
    const bool restore =
        std::all_of(runs.begin(), runs.end(), [](const RunItemPtr& run) { return run->notes.archived; });
    if (!restore) std::erase_if(runs, [](const RunItemPtr& run) { return isLive(run->row); });
    const QString words = restore ? QStringLiteral("Restored %1") : QStringLiteral("Archived %1, nothing is deleted");
    if (runs.empty()) return false;
    notes.change(idsOf(runs), {.archived = !restore}, words.arg(countOf(runs)));
    return true;
}

}  // namespace dasgd::gui
