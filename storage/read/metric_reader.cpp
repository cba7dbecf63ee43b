#include "storage/read/metric_reader.h"

#include <limits>
#include <utility>

#include "storage/read/read_connection.h"

namespace dasgd::storage {

namespace {

// NaN is stored as NULL.
double number(const SQLite::Column& column) {
    return column.isNull() ? std::numeric_limits<double>::quiet_NaN() : column.getDouble();
}

// Columns id, rank, step, epoch, wall_ns, samples, bytes_sent, value.
MetricSample metricSample(SQLite::Statement& query) {
    return {.rank = query.getColumn(1).getInt(),
            .step = query.getColumn(2).getInt64(),
            .epoch = number(query.getColumn(3)),
            .wallS = static_cast<double>(query.getColumn(4).getInt64()) / 1e9,
            .samples = query.getColumn(5).getInt64(),
            .bytesSent = query.getColumn(6).getInt64(),
            .value = number(query.getColumn(7))};
}

}  // namespace

MetricReader::MetricReader(std::shared_ptr<ReadConnection> connection) : connection_(std::move(connection)) {}

Result<MetricReader> MetricReader::open(const std::filesystem::path& workspace) {
    DASGD_ASSIGN(auto connection, ReadConnection::open(workspace));
    return MetricReader(std::move(connection));
}

Result<std::vector<std::string>> MetricReader::names(const std::string& runId) {
    return connection_->guard([&]() -> Result<std::vector<std::string>> {
        // One probe of the index a name, however many rows there are.
        const auto query = connection_->statements.take(
            "SELECT name FROM metric_name WHERE EXISTS "
            "(SELECT 1 FROM metric WHERE run = ? AND metric.name = metric_name.id) ORDER BY id");
        query->bind(1, connection_->keyOf(runId));
        std::vector<std::string> names;
        while (query->executeStep()) names.push_back(query->getColumn(0).getString());
        return names;
    });
}

Result<MetricAnswer> MetricReader::samples(const MetricQuery& wanted) {
    return connection_->guard([&]() -> Result<MetricAnswer> {
        const auto query = connection_->statements.take(
            "SELECT id, rank, step, epoch, wall_ns, samples, bytes_sent, value FROM metric "
            "WHERE run = ? AND name = (SELECT id FROM metric_name WHERE name = ?) AND id > ? "
            "ORDER BY id");
        query->bind(1, connection_->keyOf(wanted.runId));
        query->bind(2, wanted.name);
        query->bind(3, wanted.afterRowid);
        MetricAnswer answer{.lastRowid = wanted.afterRowid};
        while (query->executeStep()) {
            answer.lastRowid = query->getColumn(0).getInt64();
            const MetricSample sample = metricSample(*query);
            if (!wanted.rank || *wanted.rank == sample.rank) answer.samples.push_back(sample);
        }
        return answer;
    });
}

Result<std::vector<MetricSum>> MetricReader::sums(const std::string& runId, const std::string& name) {
    return connection_->guard([&]() -> Result<std::vector<MetricSum>> {
        const auto query = connection_->statements.take(
            "SELECT rank, count(value), total(value) FROM metric "
            "WHERE run = ? AND name = (SELECT id FROM metric_name WHERE name = ?) GROUP BY rank ORDER BY rank");
        query->bind(1, connection_->keyOf(runId));
        query->bind(2, name);
        std::vector<MetricSum> sums;
        while (query->executeStep()) {
            sums.push_back(
                {query->getColumn(0).getInt(), query->getColumn(1).getInt64(), query->getColumn(2).getDouble()});
        }
        return sums;
    });
}

}  // namespace dasgd::storage
