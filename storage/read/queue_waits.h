// The reason for which a queued run has not started. Functions throw SQLite::Exception.
#pragma once

#include <map>
#include <string>

#include "storage/runs/run_row.h"

namespace dasgd::storage {

class ReadConnection;

// Place of each waiting entry of the queue, by run, counted from 0.
[[nodiscard]] std::map<std::string, double> queuePlaces(ReadConnection& connection);
// RunDetail::waitsFor of an entry of the queue that is queued.
[[nodiscard]] std::string waitsInQueue(ReadConnection& connection, const std::string& runId);
// RunDetail::waitsFor of a queued run of a series; "" for a run of no series.
[[nodiscard]] std::string waitsInSeries(ReadConnection& connection, const RunRow& row);

}  // namespace dasgd::storage
