// A run under way, seen from outside as its workspace has it.
#pragma once

#include <filesystem>

#include "storage/run_reader.h"
#include "tests/support/processes.h"

namespace dasgd::test {

// Waits until `holds` of the newest run of the workspace; false where that takes too long.
template <class Holds>
bool newestRunComesTo(const std::filesystem::path& workspace, Holds holds) {
    return eventually([&] {
        auto reader = storage::RunReader::open(workspace);
        const auto rows = reader ? reader->runs() : tl::unexpected(Error{});
        return rows && !rows->empty() && holds(rows->front());
    });
}
inline bool newestRunTrains(const std::filesystem::path& workspace) {
    return newestRunComesTo(workspace, [](const storage::RunRow& row) { return row.steps > 10; });
}

}  // namespace dasgd::test
