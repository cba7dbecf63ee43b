// When a command that waits behind the others of its workspace may start: `dasgd run --queue`.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "storage/read/run_reader.h"

namespace dasgd::experiments {

// Ids of the runs that go before those of the command `series`, which has not begun: of commands that have begun, all
// that train or wait; of commands that have not, those that wait, where the command was queued earlier. Runs that are
// held are passed over. Two commands that have not begun never wait for each other.
[[nodiscard]] std::vector<std::string> runsAhead(const std::vector<storage::RunRow>& rows, const std::string& series);

// Reads the workspace each time it is asked; one row of it, as long as the same run is ahead.
class QueueTurn {
public:
    QueueTurn(storage::RunReader reader, std::string series) : reader_(std::move(reader)), series_(std::move(series)) {}

    // A run that is ahead and has somebody who runs it; "" where the command may start. Errors: the workspace cannot be
    // read.
    Result<std::string> runAhead();

private:
    // Trains or may start, and somebody runs it.
    [[nodiscard]] Result<bool> isLive(const std::string& run);

    storage::RunReader reader_;
    std::string series_;
    std::string ahead_;  // the last answer
};

}  // namespace dasgd::experiments
