// The runs that can be shown beside the watched one.
#pragma once

#include <QString>
#include <vector>

#include "gui/data/runs/run_item.h"

namespace dasgd::gui {

struct RunsBeside {
    std::vector<RunItemPtr> runs;  // newest first
    std::size_t more = 0;          // number of older matches
};

// At most `most` runs that have begun and whose RunItem::haystack contains all of `words`.
[[nodiscard]] RunsBeside runsBeside(const std::vector<RunItemPtr>& runs, const QString& watched, const QString& words,
                                    std::size_t most);

// The default run: the newest finished one of the experiment of `watched`, else the newest finished one, else the
// newest that has begun; null if there is none.
[[nodiscard]] RunItemPtr firstBeside(const std::vector<RunItemPtr>& runs, const QString& watched);

}  // namespace dasgd::gui
