// The runs that may be put beside the watched one.
#pragma once

#include <QString>
#include <vector>

#include "gui/models/runs/run_item.h"

namespace dasgd::gui {

struct RunsBeside {
    std::vector<RunItemPtr> runs;  // the newest first
    std::size_t more = 0;          // older ones that pass too
};

// At most `most` of those that have begun and that have every one of `words`: as RunItem::haystack.
[[nodiscard]] RunsBeside runsBeside(const std::vector<RunItemPtr>& runs, const QString& watched, const QString& words,
                                    std::size_t most);

// The one that is shown where none was chosen: the newest finished one of the experiment of `watched`, else the newest
// finished one, else the newest that has begun; null where there is none.
[[nodiscard]] RunItemPtr firstBeside(const std::vector<RunItemPtr>& runs, const QString& watched);

}  // namespace dasgd::gui
