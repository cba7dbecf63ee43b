// Runs, spans and metrics of a workspace over one connection, for users of more than one of the three.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "storage/read/metric_reader.h"
#include "storage/read/run_reader.h"
#include "storage/read/span_reader.h"

namespace dasgd::storage {

// An object belongs to one thread at a time, with the readers that it hands out.
class WorkspaceReader {
public:
    // Errors: as RunReader::open().
    static Result<WorkspaceReader> open(const std::filesystem::path& workspace);

    [[nodiscard]] RunReader& runs() { return runs_; }
    [[nodiscard]] SpanReader& spans() { return spans_; }
    [[nodiscard]] MetricReader& metrics() { return metrics_; }
    // Changes whenever anything was committed: cheap enough to ask every 50 ms.
    [[nodiscard]] Result<std::int64_t> dataVersion();
    // Numbers of the first row that a query over the public views answers; empty where there is no row, nullopt for
    // NULL and for text. Errors: SQLite's.
    [[nodiscard]] Result<std::vector<std::optional<double>>> firstRow(const std::string& query);
    // SQLite's own check of every page and index; minutes on a large database. Errors: what it found.
    [[nodiscard]] Status checkIntegrity();

private:
    explicit WorkspaceReader(std::shared_ptr<ReadConnection> connection);
    std::shared_ptr<ReadConnection> connection_;
    RunReader runs_;
    SpanReader spans_;
    MetricReader metrics_;
};

// Version of the SQLite library in use, for example "3.40.1".
[[nodiscard]] std::string sqliteVersion();

}  // namespace dasgd::storage
