// A workspace's queue as tests of it see it: real processes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "storage/read/run_reader.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/processes.h"

namespace dasgd::test {

class QueueFolder : public ::testing::Test {
protected:
    // Rows of the workspace, newest first; none where there is no workspace yet.
    [[nodiscard]] std::vector<storage::RunRow> rows() const {
        auto reader = storage::RunReader::open(folder_.workspace());
        return reader ? reader->list().value_or(std::vector<storage::RunRow>()) : std::vector<storage::RunRow>();
    }
    [[nodiscard]] storage::Queue queue() const {
        auto reader = storage::RunReader::open(folder_.workspace());
        return reader ? reader->queue().value_or(storage::Queue()) : storage::Queue();
    }
    [[nodiscard]] storage::RunRow row(const std::string& run) const {
        for (storage::RunRow& one : rows()) {
            if (one.runId == run) return one;
        }
        return {};
    }
    // The newest run with that seed.
    [[nodiscard]] storage::RunRow newestOf(int seed) const {
        for (storage::RunRow& one : rows()) {
            if (one.seed == seed) return one;
        }
        return {};
    }
    // Waits until a run with that seed trains.
    [[nodiscard]] bool trains(int seed) const {
        return eventually(
            [&] {
                const auto all = rows();
                return std::ranges::any_of(all, [&](const storage::RunRow& one) {
                    return one.seed == seed && one.status == "running" && one.steps > 10;
                });
            },
            std::chrono::seconds(50));
    }
    // Ids of those that were added, in their order.
    std::vector<std::string> add(const std::string& text, const std::vector<std::string>& options = {}) {
        folder_.write("e.toml", text);
        std::vector<std::string> arguments{"queue", "add", "e.toml", "-w", "w", "--json"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const Ended added = folder_.run(arguments);
        EXPECT_EQ(added.exit, 0) << added.err;
        std::vector<std::string> ids;
        const std::string key = "\"run_id\":\"";
        for (auto at = added.out.find(key); at != std::string::npos; at = added.out.find(key, at + 1)) {
            const auto begin = at + key.size();
            ids.push_back(added.out.substr(begin, added.out.find('"', begin) - begin));
        }
        return ids;
    }
    [[nodiscard]] StartedProgram work(std::vector<std::string> options = {}) const {
        std::vector<std::string> arguments{"queue", "work", "-w", "w"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        return folder_.start(arguments);
    }
    [[nodiscard]] std::string modelOf(const storage::RunRow& run) const {
        return contentOf(folder_.workspace() / "runs" / run.runId / "model.safetensors");
    }
    DasgdFolder folder_;
};

// A run of `ranks` that lasts as long as a test needs, with a checkpoint every so many steps.
inline std::string longExperiment(int ranks, int steps = 100'000'000, int every = 500) {
    std::string text = quickExperiment("threads", steps);
    const auto replace = [&](const std::string& from, const std::string& to) {
        text.replace(text.find(from), from.size(), to);
    };
    replace("eval_every = 10", "eval_every = 100000\ncheckpoint = { every = \"" + std::to_string(every) + " steps\" }");
    // Far from where it would end, so that each step counts.
    replace("learning_rate = 0.1", "learning_rate = 0.00001");
    replace("momentum = 0.0", "momentum = 0.5");
    if (ranks == 1) {
        replace("workers = 2", "workers = 1");
        replace("targets = [[1.0, 0.0], [0.0, 1.0]]", "targets = [[1.0, 0.0]]");
    }
    return text;
}

}  // namespace dasgd::test
