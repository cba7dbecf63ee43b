// A run in the window: the stored row, and values derived from it once, on the reader's thread.
#pragma once

#include <QString>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/runs/scaling.h"
#include "core/analysis/runs/settings_reader.h"
#include "gui/data/runs/run_schema.h"
#include "gui/data/runs/run_settings.h"
#include "storage/notes/run_notes.h"
#include "storage/runs/run_row.h"
#include "storage/write/imported_run.h"

namespace dasgd::gui {

struct RunItem {
    storage::RunRow row;
    QString id;
    QString settings;      // settingsInWords()
    RunSettings config;    // all settings
    qint64 startedMs = 0;  // ms since 1970, UTC
    RunSchema schema;
    std::string group;           // configurationKey()
    LinePlace line;              // its place on the Scaling page
    bool keepsSpans = true;      // record.trace is "full"
    bool hasCheckpoint = false;  // only determined for runs that ended early
    storage::RunNotes notes;
    QString haystack;  // lower case: all words that a filter may match
};

// Immutable, shared between threads.
using RunItemPtr = std::shared_ptr<const RunItem>;

// Makes many items; what they share is derived and stored once. One thread at a time.
class RunItemMaker {
public:
    [[nodiscard]] RunItemPtr make(storage::RunRow row, const storage::RunNotes& notes = {}, bool hasCheckpoint = false);

private:
    using SchemaText = std::shared_ptr<const std::string>;

    SettingsReader reader_;
    SettingsPool settings_;
    std::map<SchemaText, RunSchema> schemas_;
};

[[nodiscard]] inline RunItemPtr makeRunItem(storage::RunRow row, const storage::RunNotes& notes = {}) {
    return RunItemMaker().make(std::move(row), notes);
}

// Mean samples per step of a rank, for throughput from spans; 0: not known.
[[nodiscard]] double samplesOfStep(const RunItem& run);

// "good  paper/fig:3".
[[nodiscard]] QString tagsInWords(const storage::RunNotes& notes);

// The run's ranks really trained, while its messages took the time of an emulated link.
[[nodiscard]] inline bool overEmulatedLink(const RunItem& run) {
    return !run.row.timeSimulated && run.config.find("cluster.link.bandwidth") != nullptr;
}

// Origin of its times: "measured", "measured, link emulated", "time simulated", "imported".
[[nodiscard]] QString originInWords(const RunItem& run);

// The run's ranks take part in collectives.
[[nodiscard]] inline bool communicates(const storage::RunRow& row) {
    return row.workers > 1 && row.algorithm != "independent";
}

// A run of `dasgd calibrate`, which measures the cluster. In older workspaces it has the experiment's name.
[[nodiscard]] inline bool isProbe(const storage::RunRow& row) { return row.algorithm == "probe"; }

// A run made by `dasgd calibrate` or `dasgd advise`, named after its experiment: "live (probe)", "live (advice)". It is
// no training set up by the user.
[[nodiscard]] inline bool isOfJob(const storage::RunRow& row) {
    return isProbe(row) || row.experiment.ends_with(" (advice)");
}

inline const QString kTakenOut = QStringLiteral("taken out of the queue before it started");

[[nodiscard]] inline bool isLive(const storage::RunRow& row) {
    return row.status == "running" || row.status == "queued";
}

[[nodiscard]] inline bool hasEndedEarly(const storage::RunRow& row) {
    return !row.imported() && (row.status == "stopped" || row.status == "failed" || row.status == "interrupted");
}

// The status, or "held" if it is queued and held.
[[nodiscard]] inline QString stateOf(const storage::RunRow& row) {
    return row.held ? QStringLiteral("held") : QString::fromStdString(row.status);
}
// The status in words, as `dasgd list` prints it: a run taken out of the queue has neither begun nor stopped; an
// imported one may lack events of its files.
[[nodiscard]] inline QString stateInWords(const storage::RunRow& row) {
    if (row.takenOut()) return QStringLiteral("taken out");
    return storage::isPartlyRead(row) ? stateOf(row) + QStringLiteral(", partly read") : stateOf(row);
}

// The end of one seed: "seed 4 failed at step 3 120 of 5 600", "seed 3 was stopped at step 40", "seed 2 is at step 8".
[[nodiscard]] QString seedEndInWords(const RunItem& run);
// The run as one whose seeds a newer one has: "seed 1 was run again: the older run, failed, does not count".
[[nodiscard]] QString madeAgainInWords(const RunItem& run);

// NaN if NaN was recorded; nullopt if nothing was.
[[nodiscard]] inline std::optional<double> finalLossOf(const storage::RunRow& row) {
    return row.lossIsNaN ? std::optional(std::numeric_limits<double>::quiet_NaN()) : row.finalLoss;
}

// Mean waiting time of a rank in a timed step, in ms; nullopt without timed steps.
[[nodiscard]] inline std::optional<double> blockedMsPerStep(const storage::RunRow& row) {
    const auto share = row.blocked();
    if (!share || !row.stepMs) return std::nullopt;
    return *share * *row.stepMs;
}

}  // namespace dasgd::gui
