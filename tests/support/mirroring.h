// `dasgd mirror` as a test runs it: the protocol and the processes are real; in place of ssh there is a script that
// runs the command on this machine.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/transport/mirror/remote.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/mirrors.h"
#include "tests/support/processes.h"

namespace dasgd::test {

// A workspace "there" with one run, and a folder for one that mirrors it, "here".
class MirroredFolder {
public:
    MirroredFolder() {
        writeText(run.folder / "ssh",
                  "#!/bin/sh\n# ssh OPTIONS -- HOST COMMAND\nwhile [ \"$1\" != -- ]; do shift; done\n"
                  "exec sh -c \"exec $3\"\n");
        std::filesystem::permissions(run.folder / "ssh", std::filesystem::perms::owner_all);
    }
    [[nodiscard]] std::filesystem::path there() const { return run.folder / "workspace"; }
    [[nodiscard]] std::filesystem::path here() const { return run.folder / "here"; }
    [[nodiscard]] Environment environment() const {
        return {{experiments::kSshVariable, (run.folder / "ssh").string()}};
    }
    [[nodiscard]] std::string url() const { return "ssh://login" + there().string(); }
    [[nodiscard]] StartedProgram start(const std::vector<std::string>& more = {}) const {
        std::vector<std::string> arguments{"mirror", url(), "-w", here().string(), "--dasgd", kProgram};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return {run.folder.path(), arguments, environment()};
    }
    [[nodiscard]] Ended once() const { return start({"--once"}).wait(); }
    [[nodiscard]] StartedProgram program(const std::vector<std::string>& arguments) const {
        return {run.folder.path(), arguments, environment()};
    }

    OneRun run;
};

// Number of rows of a run, at once also where it is being written; 0 where there is no such workspace yet.
inline std::int64_t recordsOf(const std::filesystem::path& workspace, const std::string& id) {
    try {
        SQLite::Database database((workspace / "lab.db").string(), SQLite::OPEN_READONLY);
        SQLite::Statement query(database,
                                "SELECT (SELECT count(*) FROM metric WHERE run = run.id) + (SELECT "
                                "ifnull(sum(last_id - first_id + 1), 0) FROM span_chunk WHERE run = run.id) "
                                "FROM run WHERE run_id = ?");
        query.bind(1, id);
        return query.executeStep() ? query.getColumn(0).getInt64() : 0;
    } catch (const SQLite::Exception&) {
        return 0;
    }
}

// Counts and sums over every column of a run's rows; faster than contentOfRun where there are a million.
inline std::string checksumOf(const std::filesystem::path& workspace, const std::string& id) {
    std::uint64_t unused = 0;
    std::string text;
    for (const char* sql :
         {"SELECT count(*), sum(rank), sum(step), sum(wall_ns), sum(samples), sum(bytes_sent), count(value), "
          "total(value), total(epoch), count(DISTINCT step), sum((step * 31 + rank) % 1009) FROM metric WHERE run = "
          "(SELECT id FROM run WHERE run_id = ?)",
          "SELECT count(*), sum(tag), sum(step), sum(start_ns), sum(duration_ns), sum(bytes), count(DISTINCT "
          "start_ns), "
          "sum((start_ns * 31 + tag) % 1009) FROM run JOIN span_chunk ON span_chunk.run = run.id JOIN span ON span.id "
          "BETWEEN first_id AND last_id WHERE run_id = ?"}) {
        foldRows(workspace / "lab.db", sql, id, unused, &text);
    }
    return text;
}

}  // namespace dasgd::test
