// Read-only view of a workspace's lab.db for the window, the command line and notebooks. Never writes, never locks a
// writer out; each call is one short read transaction. An object belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/spans/timings.h"
#include "core/analysis/statistics.h"
#include "core/base/event.h"
#include "core/base/result.h"
#include "core/base/time_range.h"
#include "storage/levels/span_level.h"
#include "storage/queue/queue.h"
#include "storage/runs/hardware.h"
#include "storage/runs/lost_run.h"
#include "storage/runs/run_row.h"

namespace dasgd::storage {

// Provenance and settings of a run that the list does not need.
struct RunDetail {
    RunRow row;
    std::int64_t plannedSteps = 0;
    double stepsPerEpoch = 0;
    bool linkEmulated = false;
    std::string link;  // "200Mbps, 1ms" or ""
    std::string host, cpu, gitDirtyDiff;
    std::vector<std::string> rankHosts;  // by rank; empty where a rank did not report its host
    std::vector<HardwarePart> hardware;  // hardware of `host`
    bool gitDirty = false;
    std::string versions;                // JSON object: library → version
    Ns clockOrigin = 0;                  // raw CLOCK_MONOTONIC of instant 0, on the host that ran it
    double clockErrorS = 0;              // bound on the clock offset between hosts; 0 on one host
    std::optional<Straggler> straggler;  // straggler by the newest 65,536 spans
    Sample inflation;                    // inflationOfRanks(); its mean is the row's
    // Why what waits, in the workspace's queue or for its turn in its series, has not started; "": it starts at once,
    // or does not wait.
    std::string waitsFor;
};

// Where a run ran, and whether its code was that of its commit.
struct RunProvenance {
    std::string host, cpu;              // "" where they were not recorded
    std::map<int, std::string> hostOf;  // host of each rank that reported it; empty in simulated time
    std::size_t hosts = 0;              // number of hosts of its ranks; 0 where a rank did not report its host
    bool gitDirty = false;
};

// The timed part of one rank, as it is now. Absent: not timed, nothing transferred, no step of the kind.
struct RankRow {
    int rank = 0;
    std::optional<double> stepMs, measuredS, hidden, blockedS, skewS, inflation;
    std::int64_t timedSteps = 0;
};

// The newest record of a rank.
struct RankLastSeen {
    int rank = 0;
    std::string host;   // "": not recorded
    std::string state;  // starting, running, finished, failed or stopped; "" where the rank never reported one
    std::string text;   // text that the rank reported with it
    std::int64_t step = 0;
    Ns newest = 0;                 // on the run's time line
    std::optional<RankSpan> last;  // span that ended last, among its newest 65,536; nullopt where none is recorded
};

struct MetricSample {
    int rank = -1;
    std::int64_t step = 0;
    double epoch = 0, wallS = 0;
    std::int64_t samples = 0, bytesSent = 0;
    double value = 0;
};

using SpanRow = RankSpan;

struct NamedSpan {
    SpanRow row;
    std::string name;  // name that another program gave it; "" for spans of this program
};

// Some spans of a run: rows as they were stored, or a level of detail over such parts. Every span is in exactly one of
// the roots, and of a part with levels in exactly one of its parts.
struct SpanPart {
    std::int64_t id = 0;
    int level = 0;    // 0: rows
    TimeRange range;  // time that its spans touch
    Ns width = 0;     // width of the level's buckets
    std::int64_t rows = 0;
    bool settled = false;  // will not change any more
};

struct MetricQuery {
    std::string runId, name;
    std::optional<int> rank;      // nullopt: every rank
    std::int64_t afterRowid = 0;  // for live tailing: only rows newer than the last answer's `lastRowid`
};

struct MetricAnswer {
    std::vector<MetricSample> samples;  // by rowid (order of arrival)
    std::int64_t lastRowid = 0;
};

// Number and sum of one rank's samples of a metric.
struct MetricSum {
    int rank = -1;
    std::int64_t n = 0;
    double sum = 0;
};

class RunReader {
public:
    // `workspace` is the folder that holds lab.db. Errors: no such workspace, not a database of ours, a newer schema
    // (which names the version and says to update).
    static Result<RunReader> open(const std::filesystem::path& workspace);
    RunReader(RunReader&&) noexcept;
    RunReader& operator=(RunReader&&) noexcept;
    ~RunReader();

    // Changes whenever anything was committed: cheap enough to ask every 50 ms.
    [[nodiscard]] Result<std::int64_t> dataVersion();
    [[nodiscard]] Result<std::vector<RunRow>> runs();               // newest first
    [[nodiscard]] Result<RunDetail> run(const std::string& runId);  // exact id or a unique prefix
    // The row of the same run, without reading its spans.
    [[nodiscard]] Result<RunRow> row(const std::string& runId);
    // The hosts and the state of the code of a run, without reading its spans. Errors: no such run.
    [[nodiscard]] Result<RunProvenance> provenance(const std::string& runId);
    // The end of a run that is stored as queued or running although no process runs it any more: the end that the next
    // opening of the workspace for writing stores. nullopt while a process owns the run or one of its ranks lives,
    // while it waits in the queue, and if that cannot be known: without an owner lock, if locks of other hosts may be
    // hidden, and for a run from another workspace, where its owner is (RunRow::heardAt gives the age of its status).
    [[nodiscard]] Result<std::optional<LostRun>> lost(const std::string& runId);
    // The workspace's queue, and "pid host" of the process that works it, "" where none does.
    [[nodiscard]] Result<Queue> queue();
    [[nodiscard]] Result<std::string> queueWorker();
    [[nodiscard]] Result<std::vector<RankRow>> ranks(const std::string& runId);          // by rank
    [[nodiscard]] Result<std::vector<RankLastSeen>> lastSeen(const std::string& runId);  // by rank
    [[nodiscard]] Result<std::vector<std::string>> metricNames(const std::string& runId);
    [[nodiscard]] Result<MetricAnswer> metrics(const MetricQuery& query);
    // By rank: what a mean over a run needs, without its samples.
    [[nodiscard]] Result<std::vector<MetricSum>> metricSums(const std::string& runId, const std::string& name);
    // Spans that touch `range`, by rank and start. `limit` bounds the answer; nullopt: all of them.
    [[nodiscard]] Result<std::vector<SpanRow>> spans(const std::string& runId, TimeRange range,
                                                     std::optional<std::size_t> limit = std::nullopt);
    // Those of some kinds, in any order.
    [[nodiscard]] Result<std::vector<SpanRow>> spansOf(const std::string& runId, TimeRange range,
                                                       std::initializer_list<SpanKind> kinds);
    // The spans of an imported run that touch `range`, with their names, in any order.
    [[nodiscard]] Result<std::vector<NamedSpan>> namedSpans(const std::string& runId, TimeRange range);
    // The name that another program gave to the span of that rank, lane, kind and start; "" if there is none.
    [[nodiscard]] Result<std::string> spanName(const std::string& runId, const SpanRow& span);
    // The names that another program gave to spans of a part of level 0, each with its place among the part's rows.
    [[nodiscard]] Result<std::vector<std::pair<std::int64_t, std::string>>> spanLabels(const SpanPart& part);
    // Every span of a run in order of arrival, one at a time, in bounded memory and one read transaction;
    // until `take` answers false. For exporters.
    Status eachSpan(const std::string& runId, const std::function<bool(const SpanRow&)>& take);
    // The parts that together cover all spans of the run: a few of each level, and rows without a level yet.
    [[nodiscard]] Result<std::vector<SpanPart>> spanRoots(const std::string& runId);
    // The parts of which a part with a level consists.
    [[nodiscard]] Result<std::vector<SpanPart>> spanParts(const std::string& runId, const SpanPart& of);
    [[nodiscard]] Result<SpanLevel> spanLevel(const SpanPart& part);
    // The spans of a part of level 0 in order of arrival, without the first `skip`. In a part that is not settled an
    // undivided reduce may become another span later; all other spans stay.
    [[nodiscard]] Result<std::vector<SpanRow>> spanRows(const SpanPart& part, std::int64_t skip = 0);
    // From the first span's start to the last one's end; nullopt where there is none yet.
    [[nodiscard]] Result<std::optional<TimeRange>> spanExtent(const std::string& runId);
    [[nodiscard]] Result<std::int64_t> spanCount(const std::string& runId);
    // Instant of the newest committed record of the run, on the run's own time line (for "n ms behind").
    [[nodiscard]] Result<Ns> newestInstant(const std::string& runId);
    // SQLite's own check of every page and index; minutes on a large database. Errors: what it found.
    [[nodiscard]] Status checkIntegrity();

private:
    class Impl;
    explicit RunReader(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

// Version of the SQLite library in use, for example "3.40.1".
[[nodiscard]] std::string sqliteVersion();

}  // namespace dasgd::storage
