// `dasgd run --on` of two hosts, which are two folders; ssh is a stand-in, everything else is the real program.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "storage/read/run_reader.h"
#include "tests/support/live_run.h"
#include "tests/support/processes.h"
#include "tests/support/standin_ssh.h"

namespace dasgd::test {

class RunsOnStandIns : public ::testing::Test {
protected:
    RunsOnStandIns() : hosts_(folder_.path() / "hosts", {"node1", "node2"}) {
        folder_.write("lab.toml", standInProfile("[\"node1\", \"ada@node2\"]"));
        folder_.write("e.toml", quickExperiment("gloo", 200));
    }
    [[nodiscard]] StartedProgram start(const std::vector<std::string>& more = {}) const {
        std::vector<std::string> arguments{"run", "e.toml", "--on", "lab"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return folder_.start(arguments, hosts_.environment());
    }
    [[nodiscard]] std::filesystem::path workspace(const std::string& host) const { return hosts_.home(host) / "w"; }
    [[nodiscard]] std::vector<storage::RunRow> runsOf(const std::string& host) const {
        auto reader = storage::RunReader::open(workspace(host));
        return reader ? reader->list().value() : std::vector<storage::RunRow>();
    }
    [[nodiscard]] bool trains() const { return newestRunTrains(workspace("node1")); }
    // The processes that stand for ssh, which are `dasgd host-ranks` by then: of node1, then of node2.
    static std::vector<pid_t> connectionsOf(const StartedProgram& run) {
        std::vector<pid_t> children = childrenOf(run.id());
        std::ranges::sort(children);
        return children;
    }

    DasgdFolder folder_;
    StandInHosts hosts_;
};

}  // namespace dasgd::test
