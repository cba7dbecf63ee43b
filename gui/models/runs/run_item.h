// A run as the window knows it: the stored row and what is derived from it once, on the reader's thread.
#pragma once

#include <QString>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/scaling.h"
#include "core/analysis/settings_reader.h"
#include "gui/models/runs/run_schema.h"
#include "gui/models/runs/run_settings.h"
#include "storage/imported_run.h"
#include "storage/notes/run_notes.h"
#include "storage/run_reader.h"

namespace dasgd::gui {

struct RunItem {
    storage::RunRow row;
    QString id;
    QString settings;      // settingsInWords()
    RunSettings config;    // every setting
    qint64 startedMs = 0;  // since 1970, UTC
    RunSchema schema;
    std::string group;           // configurationKey()
    LinePlace line;              // where it stands on the Scaling page
    bool keepsSpans = true;      // record.trace is "full"
    bool hasCheckpoint = false;  // looked at where it ended early
    storage::RunNotes notes;
    QString haystack;  // lower case: every word a filter may hit
};

// Immutable, shared between threads.
using RunItemPtr = std::shared_ptr<const RunItem>;

// Makes many of them: what they have in common is derived and kept once. One thread at a time.
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

// Of a rank, on average, for what its spans say of throughput; 0: not known.
[[nodiscard]] double samplesOfStep(const RunItem& run);

// "good  paper/fig:3".
[[nodiscard]] QString tagsInWords(const storage::RunNotes& notes);

// Its ranks really trained, and their messages took the time of a link that is not there.
[[nodiscard]] inline bool overEmulatedLink(const RunItem& run) {
    return !run.row.timeSimulated && run.config.find("cluster.link.bandwidth") != nullptr;
}

// How its times came about: "measured", "measured, link emulated", "time simulated", "imported".
[[nodiscard]] QString originInWords(const RunItem& run);

// Its ranks take part in collectives, sooner or later.
[[nodiscard]] inline bool communicates(const storage::RunRow& row) {
    return row.workers > 1 && row.algorithm != "independent";
}

// A run of `dasgd calibrate`: it measures the cluster. Those of older workspaces have the experiment's name.
[[nodiscard]] inline bool isProbe(const storage::RunRow& row) { return row.algorithm == "probe"; }

// Made by `dasgd calibrate` or `dasgd advise` for an experiment, whose name it has with what it is behind: "live
// (probe)", "live (advice)". It is no training that somebody set up.
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

// Its status, or "held" where it is queued and does not start.
[[nodiscard]] inline QString stateOf(const storage::RunRow& row) {
    return row.held ? QStringLiteral("held") : QString::fromStdString(row.status);
}
// The status for people, as `dasgd list` says it: a run that was taken out of the queue did not begin, and did not
// stop; an imported one may lack events of its files.
[[nodiscard]] inline QString stateInWords(const storage::RunRow& row) {
    if (row.takenOut()) return QStringLiteral("taken out");
    return storage::isPartlyRead(row) ? stateOf(row) + QStringLiteral(", partly read") : stateOf(row);
}

// NaN where that is what was recorded; nullopt where nothing was.
[[nodiscard]] inline std::optional<double> finalLossOf(const storage::RunRow& row) {
    return row.lossIsNaN ? std::optional(std::numeric_limits<double>::quiet_NaN()) : row.finalLoss;
}

// Mean time that a rank stood waiting in a timed step; nullopt where none is.
[[nodiscard]] inline std::optional<double> blockedMsPerStep(const storage::RunRow& row) {
    const auto share = row.blocked();
    if (!share || !row.stepMs) return std::nullopt;
    return *share * *row.stepMs;
}

}  // namespace dasgd::gui
