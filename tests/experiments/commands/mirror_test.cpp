// `dasgd mirror`, and list, show, stop and resume of a mirrored run, with real runs.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <nlohmann/json.hpp>

#include "experiments/transport/mirror/remote.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/live_run.h"

namespace dasgd::experiments {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// "w" is the workspace there, "here" the one that mirrors it.
class MirrorCommand : public ::testing::Test {
protected:
    MirrorCommand() {
        folder_.write("ssh", "#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\nexec sh -c \"exec $3\"\n");
        std::filesystem::permissions(folder_.path() / "ssh", std::filesystem::perms::owner_all);
        environment_ = {{kSshVariable, (folder_.path() / "ssh").string()}};
    }
    // The process that works the queue there is no child of ours: it would outlive the test and its workspace.
    ~MirrorCommand() override {
        const auto left = [this] { return test::processesWith(folder_.path().string()); };
        EXPECT_TRUE(test::eventually([&] { return left().empty(); })) << "a process is left behind";
        for (const pid_t process : left()) ::kill(process, SIGKILL);
    }
    test::Ended run(const std::vector<std::string>& arguments) const { return folder_.run(arguments, environment_); }
    test::Ended mirrorOnce() const {
        return run({"mirror", url(), "-w", "here", "--dasgd", test::kProgram, "--once", "--json"});
    }
    [[nodiscard]] std::string url() const { return "ssh://login" + folder_.workspace().string(); }
    [[nodiscard]] storage::RunRow row(const std::string& workspace) const {
        return storage::RunReader::open(folder_.path() / workspace).value().list().value().front();
    }
    test::DasgdFolder folder_;
    test::Environment environment_;
};

TEST_F(MirrorCommand, ALiveRunIsStoppedFromHereAndResumedThere) {
    folder_.write("e.toml", test::quickExperiment("gloo", 2'000'000) + "[record]\ntrace = \"off\"\n");
    auto training = folder_.start({"run", "e.toml", "-w", "w", "-q"});
    ASSERT_TRUE(test::newestRunTrains(folder_.workspace()));
    const test::Ended mirrored = mirrorOnce();
    ASSERT_EQ(mirrored.exit, 0) << mirrored.err;
    EXPECT_THAT(mirrored.out, HasSubstr("\"state\":\"up to date\""));
    EXPECT_EQ(row("here").status, "running");
    EXPECT_GT(row("here").steps, 10);
    const std::string id = row("here").runId;
    EXPECT_THAT(run({"list", "-w", "here"}).out, HasSubstr("running"));
    EXPECT_THAT(run({"show", id, "-w", "here"}).out, HasSubstr(url()));
    // A queue here does not wait for what trains there, and recovery here leaves it alone.
    EXPECT_THAT(run({"recover", "-w", "here"}).out, HasSubstr("0 runs"));
    EXPECT_EQ(row("here").status, "running");

    const test::Ended stopped = run({"stop", id, "-w", "here"});
    EXPECT_EQ(stopped.exit, 0) << stopped.err;
    EXPECT_THAT(stopped.out, HasSubstr("stops at its next step"));
    EXPECT_EQ(training.wait().exit, 130);
    ASSERT_EQ(mirrorOnce().exit, 0);
    EXPECT_EQ(row("here").status, "stopped");
    EXPECT_EQ(row("here").steps, row("w").steps);

    auto resumed = folder_.start({"resume", id, "-w", "here", "-q"}, environment_);
    EXPECT_TRUE(test::newestRunComesTo(folder_.workspace(), [&](const storage::RunRow& newest) {
        return newest.resumedFrom == id && newest.steps > newest.resumedStep;
    })) << "it goes on where its checkpoints are";
    const std::string next = row("w").runId;
    EXPECT_EQ(run({"stop", next, "-w", "w"}).exit, 0);
    EXPECT_EQ(resumed.wait().exit, 130);
    ASSERT_EQ(mirrorOnce().exit, 0);
    EXPECT_EQ(row("here").runId, next);
    EXPECT_EQ(row("here").resumedFrom, id);
}

TEST_F(MirrorCommand, WhatWaitsThereIsMovedAndHeldFromHere) {
    folder_.write("e.toml", test::quickExperiment("gloo", 10));
    const auto idOf = [](const test::Ended& added) {
        return nlohmann::json::parse(added.out)["run_id"].get<std::string>();
    };
    const std::string first = idOf(run({"queue", "add", "e.toml", "-w", "w", "--json"}));
    const std::string second = idOf(run({"queue", "add", "e.toml", "-w", "w", "--json"}));
    const std::string own = idOf(run({"queue", "add", "e.toml", "-w", "here", "--json"}));
    ASSERT_EQ(mirrorOnce().exit, 0);
    const auto orderThere = [&] {
        const test::Ended listed = run({"queue", "-w", "w", "--json"});
        return std::pair(listed.out.find(first), listed.out.find(second));
    };
    EXPECT_LT(orderThere().first, orderThere().second);

    const test::Ended moved = run({"queue", "first", second, own, "-w", "here"});
    EXPECT_EQ(moved.exit, 0) << moved.err;
    EXPECT_THAT(moved.out, AllOf(HasSubstr(own), HasSubstr(second))) << "each queue as it is now";
    EXPECT_GT(orderThere().first, orderThere().second);
    EXPECT_EQ(run({"queue", "hold", first, "-w", "here"}).exit, 0);
    auto reader = storage::RunReader::open(folder_.workspace()).value();
    EXPECT_TRUE(reader.row(first).value().held);
    EXPECT_FALSE(reader.row(second).value().held);

    EXPECT_EQ(run({"queue", "hold", own, "-w", "here"}).exit, 0);

    // The window asks for a release this way: the process that then trains the run there outlives the connection.
    const test::Ended released = run({"queue", "release", first, "--work", "-w", "here"});
    EXPECT_EQ(released.exit, 0) << released.err;
    EXPECT_TRUE(test::eventually([&] {
        const auto rows = reader.list().value();
        return std::ranges::all_of(rows, [](const storage::RunRow& row) { return row.status == "finished"; });
    })) << test::contentOf(folder_.workspace() / "logs/queue-work.log");
    auto here = storage::RunReader::open(folder_.path() / "here").value();
    EXPECT_EQ(here.row(own).value().status, "queued") << "the queue here is not worked for it";
}

// The file goes there, and nothing else of this machine; what trains it there outlives the connection.
TEST_F(MirrorCommand, NewRunsGoThereToo) {
    folder_.write("e.toml", test::quickExperiment("gloo", 12));
    const test::Ended added = run({"queue", "add", "e.toml", "--at", url(), "--dasgd", test::kProgram, "--set",
                                   "algorithm.period=6", "--sweep", "train.seed=1,2", "--json", "--work"});
    ASSERT_EQ(added.exit, 0) << added.err;
    const std::string first = nlohmann::json::parse(added.out.substr(0, added.out.find('\n')))["run_id"];
    EXPECT_TRUE(test::eventually([&] {
        auto reader = storage::RunReader::open(folder_.workspace());
        const auto rows = reader ? reader->list().value() : std::vector<storage::RunRow>();
        return rows.size() == 2 && rows[0].status == "finished" && rows[1].status == "finished";
    })) << test::contentOf(folder_.workspace() / "logs/queue-work.log");
    ASSERT_EQ(mirrorOnce().exit, 0);
    auto here = storage::RunReader::open(folder_.path() / "here").value();
    const storage::RunRow mirrored = here.row(first).value();
    EXPECT_EQ(mirrored.origin, url());
    EXPECT_EQ(mirrored.status, "finished");
    EXPECT_THAT(mirrored.config, HasSubstr("period = 6"));
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "dasgd-workspace")) << "nothing was queued here";
}

TEST_F(MirrorCommand, WhatIsWrongWithANewRunIsSaidFromThere) {
    folder_.write("e.toml", "[algorithm]\nname = \"dasdg\"\n");
    const auto refused = [&](const std::vector<std::string>& more) {
        std::vector<std::string> words{"queue", "add", "e.toml", "--dasgd", test::kProgram};
        words.insert(words.end(), more.begin(), more.end());
        const test::Ended ended = run(words);
        EXPECT_EQ(ended.exit, 2);
        return ended.err;
    };
    EXPECT_THAT(refused({"--at", url()}), HasSubstr("standard input:2:8: "));
    EXPECT_THAT(refused({"--at", url(), "--calibration", "c.toml"}), HasSubstr("names a file of this machine"));
    EXPECT_THAT(refused({"--at", "/a/folder"}), HasSubstr("names no host"));
    EXPECT_FALSE(std::filesystem::exists(folder_.workspace() / "lab.db"));
}

TEST_F(MirrorCommand, AnImportedRunIsNotStoppedFromHere) {
    folder_.write("e.toml", test::quickExperiment("gloo", 2'000'000) + "[record]\ntrace = \"off\"\n");
    auto training = folder_.start({"run", "e.toml", "-w", "w", "-q"});
    ASSERT_TRUE(test::newestRunTrains(folder_.workspace()));
    const test::Ended imported = run({"import", "w", "-w", "here", "--json"});
    ASSERT_EQ(imported.exit, 0) << imported.err;
    EXPECT_EQ(nlohmann::json::parse(imported.out)["runs"].size(), 1U);
    const test::Ended refused = run({"stop", row("here").runId, "-w", "here"});
    EXPECT_EQ(refused.exit, 2);
    EXPECT_THAT(refused.err, HasSubstr("it was imported from"));
    EXPECT_EQ(run({"stop", row("w").runId, "-w", "w"}).exit, 0);
    training.wait();
    EXPECT_THAT(run({"import", "w", "-w", "here"}).out, HasSubstr("1 run with"));
    EXPECT_EQ(row("here").status, "stopped");
    EXPECT_THAT(run({"import", "w", "-w", "here"}).out, HasSubstr("0 runs with 0 new records"));
}

// A mirror that heard of a run long ago shows how long ago.
TEST_F(MirrorCommand, WhatItIsToldByAnOldMirrorHasItsAge) {
    folder_.write("e.toml", test::quickExperiment("gloo", 2'000'000) + "[record]\ntrace = \"off\"\n");
    auto training = folder_.start({"run", "e.toml", "-w", "w", "-q"});
    ASSERT_TRUE(test::newestRunTrains(folder_.workspace()));
    ASSERT_EQ(mirrorOnce().exit, 0);
    training.signal(SIGTERM);
    training.wait();
    {
        SQLite::Database database((folder_.path() / "here" / "lab.db").string(), SQLite::OPEN_READWRITE);
        database.exec("UPDATE mirror_source SET heard_at = '2020-01-01T00:00:00.000Z'");
    }
    EXPECT_THAT(run({"list", "-w", "here"}).out, ::testing::ContainsRegex("running [0-9]+ h"));
    EXPECT_THAT(run({"show", row("here").runId, "-w", "here"}).out, HasSubstr("heard from last at 2020"));
}

}  // namespace
}  // namespace dasgd::experiments
