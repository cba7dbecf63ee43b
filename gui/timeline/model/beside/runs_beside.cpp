#include "gui/timeline/model/beside/runs_beside.h"

#include <QStringList>
#include <algorithm>
#include <tuple>

namespace dasgd::gui {

namespace {

bool passesWords(const RunItem& run, const QStringList& words) {
    return std::ranges::all_of(words, [&](const QString& word) { return run.haystack.contains(word); });
}

bool beganLater(const RunItemPtr& a, const RunItemPtr& b) {
    return std::tie(a->row.startedAt, a->id) > std::tie(b->row.startedAt, b->id);
}

}  // namespace

RunsBeside runsBeside(const std::vector<RunItemPtr>& runs, const QString& watched, const QString& words,
                      std::size_t most) {
    const QStringList parts = words.toLower().split(u' ', Qt::SkipEmptyParts);
    RunsBeside offered;
    for (const RunItemPtr& run : runs) {
        if (run->id == watched || run->row.status == "queued" || !passesWords(*run, parts)) continue;
        offered.runs.push_back(run);
    }
    const std::size_t kept = std::min(most, offered.runs.size());
    offered.more = offered.runs.size() - kept;
    std::ranges::partial_sort(offered.runs, offered.runs.begin() + static_cast<std::ptrdiff_t>(kept), beganLater);
    offered.runs.resize(kept);
    return offered;
}

RunItemPtr firstBeside(const std::vector<RunItemPtr>& runs, const QString& watched) {
    const auto own = std::ranges::find(runs, watched, [](const RunItemPtr& run) { return run->id; });
    const auto rankOf = [&](const RunItem& run) {
        if (run.row.status != "finished") return 0;
        return own != runs.end() && run.row.experiment == (*own)->row.experiment ? 2 : 1;
    };
    RunItemPtr best;
    for (const RunItemPtr& run : runs) {
        if (run->id == watched || run->row.status == "queued") continue;
        const int rank = rankOf(*run), before = best ? rankOf(*best) : -1;
        if (rank > before || (rank == before && beganLater(run, best))) best = run;
    }
    return best;
}

}  // namespace dasgd::gui
