// Parts of bounded size in which one workspace sends its runs to another one, and the receiver's state of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/clock.h"

namespace dasgd::storage {

// The newest row of each table of a run that was taken, by its id in the workspace where it was recorded.
struct RowPositions {
    std::int64_t metric = 0, span = 0, event = 0;
    bool operator==(const RowPositions&) const = default;
};

struct KnownFile {
    std::string path;  // within the run's folder
    std::int64_t bytes = 0;
    bool operator==(const KnownFile&) const = default;
};

// A run that the taking workspace has.
struct KnownRun {
    std::string runId;
    bool foreign = false;      // the run is from another workspace than the one that is asked, and is passed over
    RowPositions taken;        // the rest is of runs that are from there
    std::uint64_t digest = 0;  // of the document that was taken last with all its rows; 0: none
    std::vector<KnownFile> files;
    bool operator==(const KnownRun&) const = default;
};

using StoredValue = std::variant<std::monostate, std::int64_t, double, std::string>;
using StoredRow = std::vector<StoredValue>;

// The rows that change with the run instead of growing: its row, ranks, place in a series, lineage and hardware. Tables
// and columns are in the order of run_document.cpp.
struct RunDocument {
    std::vector<std::vector<StoredRow>> tables;
    std::string schema;  // symbols and units of its settings; "" where there is none
    bool operator==(const RunDocument&) const = default;
};

// Rows as the tables have them, with the id there. NaN stands for NULL.
struct MirroredMetric {
    std::int64_t id = 0;
    std::uint32_t name = 0;  // place in MirrorPart::names
    std::int32_t rank = 0;
    std::int64_t step = 0;
    double epoch = 0;
    Ns wall = 0;
    std::int64_t samples = 0, bytesSent = 0;
    double value = 0;
};
struct MirroredSpan {
    std::int64_t id = 0, tag = 0, step = 0;
    Ns start = 0, duration = 0;
    std::int64_t bytes = 0, collective = 0;
};
struct SpanLabel {
    std::int64_t span = 0;  // id of a row of this part
    std::string name;
    bool operator==(const SpanLabel&) const = default;
};
struct MirroredEvent {
    std::int64_t id = 0;
    std::int32_t rank = 0, state = 0;
    std::int64_t step = 0;
    std::string text;
    bool operator==(const MirroredEvent&) const = default;
};
// Bytes of a file from `offset` on.
struct FilePart {
    std::string path;  // within the run's folder: experiment.toml, or a file in logs
    std::int64_t offset = 0;
    std::string bytes;
    bool operator==(const FilePart&) const = default;
};

// One part of a run. Ids grow within each table and from part to part.
struct MirrorPart {
    std::string runId;
    std::optional<RunDocument> document;  // in the first part of a run, and after its rows whenever it has changed
    std::uint64_t digest = 0;             // of the document
    bool complete = false;                // with this part the other side has all that `document` speaks of
    std::vector<std::string> names;       // names of metrics
    std::vector<MirroredMetric> metrics;
    std::vector<MirroredSpan> spans;
    std::vector<SpanLabel> labels;
    std::vector<MirroredEvent> events;
    std::vector<FilePart> files;

    [[nodiscard]] std::size_t records() const { return metrics.size() + spans.size() + events.size(); }
    [[nodiscard]] bool empty() const { return records() == 0 && files.empty() && !document; }
};

}  // namespace dasgd::storage
