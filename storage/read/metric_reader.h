// Metrics of the runs of a workspace, read only. Each call is one short read transaction that locks no writer out. An
// object belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace dasgd::storage {

class ReadConnection;

struct MetricSample {
    int rank = -1;
    std::int64_t step = 0;
    double epoch = 0, wallS = 0;
    std::int64_t samples = 0, bytesSent = 0;
    double value = 0;
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

class MetricReader {
public:
    // Errors: as RunReader::open().
    static Result<MetricReader> open(const std::filesystem::path& workspace);
    // Reads over a connection that other readers of the same thread may share.
    explicit MetricReader(std::shared_ptr<ReadConnection> connection);

    [[nodiscard]] Result<std::vector<std::string>> names(const std::string& runId);
    [[nodiscard]] Result<MetricAnswer> samples(const MetricQuery& query);
    // By rank: what a mean over a run needs, without its samples.
    [[nodiscard]] Result<std::vector<MetricSum>> sums(const std::string& runId, const std::string& name);

private:
    std::shared_ptr<ReadConnection> connection_;
};

}  // namespace dasgd::storage
