// Spans of the runs of a workspace, read only: rows, and levels of detail over them. Each call is one short read
// transaction that locks no writer out. An object belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/spans/timings.h"
#include "core/base/event.h"
#include "core/base/result.h"
#include "core/base/time_range.h"
#include "storage/levels/span_level.h"

namespace dasgd::storage {

class ReadConnection;

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

class SpanReader {
public:
    // Errors: as RunReader::open().
    static Result<SpanReader> open(const std::filesystem::path& workspace);
    // Reads over a connection that other readers of the same thread may share.
    explicit SpanReader(std::shared_ptr<ReadConnection> connection);

    // Spans that touch `range`, by rank and start. `limit` bounds the answer; nullopt: all of them.
    [[nodiscard]] Result<std::vector<SpanRow>> touching(const std::string& runId, TimeRange range,
                                                        std::optional<std::size_t> limit = std::nullopt);
    // Those of some kinds, in any order.
    [[nodiscard]] Result<std::vector<SpanRow>> ofKinds(const std::string& runId, TimeRange range,
                                                       std::initializer_list<SpanKind> kinds);
    // The spans of an imported run that touch `range`, with their names, in any order.
    [[nodiscard]] Result<std::vector<NamedSpan>> named(const std::string& runId, TimeRange range);
    // The name that another program gave to the span of that rank, lane, kind and start; "" if there is none.
    [[nodiscard]] Result<std::string> name(const std::string& runId, const SpanRow& span);
    // The names that another program gave to spans of a part of level 0, each with its place among the part's rows.
    [[nodiscard]] Result<std::vector<std::pair<std::int64_t, std::string>>> labels(const SpanPart& part);
    // Every span of a run in order of arrival, one at a time, in bounded memory and one read transaction;
    // until `take` answers false. For exporters.
    Status each(const std::string& runId, const std::function<bool(const SpanRow&)>& take);
    // The parts that together cover all spans of the run: a few of each level, and rows without a level yet.
    [[nodiscard]] Result<std::vector<SpanPart>> roots(const std::string& runId);
    // The parts of which a part with a level consists.
    [[nodiscard]] Result<std::vector<SpanPart>> parts(const std::string& runId, const SpanPart& of);
    [[nodiscard]] Result<SpanLevel> level(const SpanPart& part);
    // The spans of a part of level 0 in order of arrival, without the first `skip`. In a part that is not settled an
    // undivided reduce may become another span later; all other spans stay.
    [[nodiscard]] Result<std::vector<SpanRow>> rows(const SpanPart& part, std::int64_t skip = 0);
    // From the first span's start to the last one's end; nullopt where there is none yet.
    [[nodiscard]] Result<std::optional<TimeRange>> extent(const std::string& runId);
    [[nodiscard]] Result<std::int64_t> count(const std::string& runId);
    [[nodiscard]] Result<std::vector<RankLastSeen>> lastSeen(const std::string& runId);  // by rank

private:
    std::shared_ptr<ReadConnection> connection_;
};

}  // namespace dasgd::storage
