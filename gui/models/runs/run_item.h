// A run as the window knows it: the stored row and what is derived from it once, on the reader's thread.
#pragma once

#include <QString>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/scaling.h"
#include "gui/models/runs/run_schema.h"
#include "storage/run_reader.h"

namespace dasgd::gui {

struct RunItem {
    storage::RunRow row;
    QString id;
    QString settings;  // settingsInWords()
    RunSchema schema;
    std::string group;       // configurationKey()
    LinePlace line;          // where it stands on the Scaling page
    bool keepsSpans = true;  // record.trace is "full"
    QString haystack;        // lower case: every word a filter may hit
};

// Immutable, shared between threads.
using RunItemPtr = std::shared_ptr<const RunItem>;

[[nodiscard]] RunItemPtr makeRunItem(storage::RunRow row);

[[nodiscard]] inline bool isLive(const storage::RunRow& row) {
    return row.status == "running" || row.status == "queued";
}

// Mean time that a rank stood waiting in a timed step; nullopt where none is.
[[nodiscard]] inline std::optional<double> blockedMsPerStep(const storage::RunRow& row) {
    const auto share = row.blocked();
    if (!share || !row.stepMs) return std::nullopt;
    return *share * *row.stepMs;
}

}  // namespace dasgd::gui
