#include "experiments/transport/mirror/mirror_client.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "core/base/bytes.h"
#include "experiments/transport/mirror/hello.h"
#include "experiments/transport/pipe/frame_channel.h"
#include "storage/base/schema.h"
#include "storage/mirror/mirror_codec.h"
#include "storage/mirror/mirror_sink.h"
#include "tests/support/mirroring.h"

namespace dasgd::experiments {
namespace {

using namespace dasgd::test;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

int timesConnected(const std::string& output) {
    int times = 0;
    for (auto at = output.find("\"connected\""); at != std::string::npos; at = output.find("\"connected\"", at + 1)) {
        ++times;
    }
    return times;
}

class MirrorClientTest : public ::testing::Test {
protected:
    // Output so far of the mirrors that were started.
    [[nodiscard]] std::string printed() const {
        std::string text;
        for (const auto& entry : std::filesystem::directory_iterator(folder_.run.folder.path())) {
            if (entry.path().extension() == ".out") text += contentOf(entry.path());
        }
        return text;
    }
    // True if all records came. Waits first: counting up to a million rows slows down those who pass them.
    [[nodiscard]] bool hasAll() const {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        return recordsOf(folder_.here(), "run-a") == recordsOf(folder_.there(), "run-a");
    }
    // The process that stands for ssh.
    static void cut(const StartedProgram& mirror) {
        for (const pid_t child : childrenOf(mirror.id())) ::kill(child, SIGKILL);
    }
    MirroredFolder folder_;
};

TEST_F(MirrorClientTest, OncePassesEverythingAndEnds) {
    addRecords(folder_.there(), "run-a", 30'000, 30'000);
    writeText(folder_.there() / "runs" / "run-a" / "logs" / "rank-0000.log", "said\n");
    const Ended ended = folder_.once();
    EXPECT_EQ(ended.exit, 0) << ended.err;
    EXPECT_EQ(contentOfRun(folder_.here(), "run-a"), contentOfRun(folder_.there(), "run-a"));
    EXPECT_EQ(contentOf(folder_.here() / "runs" / "run-a" / "logs" / "rank-0000.log"), "said\n");
}

// The table's row: ten cuts while a million records pass, and the mirror itself killed twice.
TEST_F(MirrorClientTest, NothingIsMissingAndNothingTwiceHoweverOftenItIsCut) {
    std::mt19937 random(4);
    addRecords(folder_.there(), "run-a", 50'000, 50'000);
    auto mirror = std::make_unique<StartedProgram>(folder_.start({"--json", "--interval", "0.02"}));
    for (int cuts = 1; cuts <= 10; ++cuts) {
        // A connection is made, and there are records to pass, when it is cut.
        ASSERT_TRUE(eventually([&] { return timesConnected(printed()) >= cuts; }, seconds(30))) << printed();
        addRecords(folder_.there(), "run-a", 45'000, 45'000);
        ::usleep(random() % 150'000);
        if (cuts % 5 == 0) {
            mirror->signal(SIGKILL);
            static_cast<void>(mirror->wait());
            mirror = std::make_unique<StartedProgram>(folder_.start({"--json", "--interval", "0.02"}));
        } else {
            cut(*mirror);
        }
    }
    EXPECT_TRUE(eventually([&] { return hasAll(); }, seconds(30)));
    // All records may have come before the last mirror, which is new, handles signals.
    EXPECT_TRUE(eventually([&] { return timesConnected(mirror->output()) > 0; }, seconds(30))) << printed();
    mirror->signal(SIGTERM);
    EXPECT_EQ(mirror->wait().exit, 130);
    EXPECT_EQ(recordsOf(folder_.here(), "run-a"), 1'000'000);
    EXPECT_EQ(checksumOf(folder_.here(), "run-a"), checksumOf(folder_.there(), "run-a"));
}

TEST_F(MirrorClientTest, ALiveRunIsSeenHereAndEndsHere) {
    const auto recorder = orDie(storage::Recorder::start(folder_.run.store, "run-a", {0}));
    auto mirror = folder_.start({"--interval", "0.05"});
    for (std::int64_t step = 1; step <= 3; ++step) {
        folder_.run.rank(0).metric({.name = "train/loss", .step = step, .value = 1});
        EXPECT_TRUE(eventually([&] { return recordsOf(folder_.here(), "run-a") == step; }));
    }
    const auto status = [&] {
        auto reader = storage::RunReader::open(folder_.here());
        return reader ? orDie(reader->row("run-a")).status : "";
    };
    EXPECT_EQ(status(), "running");
    EXPECT_FALSE(orDie(orDie(storage::RunReader::open(folder_.here())).lost("run-a")));
    folder_.run.journals.clear();
    orDie(recorder->finish("finished", ""));
    EXPECT_TRUE(eventually([&] { return status() == "finished"; }));
    mirror.signal(SIGINT);
    EXPECT_EQ(mirror.wait().exit, 130);
}

// A link that is up and silent, as behind a router that forgot it.
TEST_F(MirrorClientTest, ASilentLinkIsNoticedAndMadeAnew) {
    ::setenv(kSshVariable, (folder_.run.folder / "ssh").c_str(), 1);
    addRecords(folder_.there(), "run-a", 100, 0);
    std::vector<std::string> lost;
    StopSignals signals;
    int connected = 0;
    MirrorOptions options{.remote = Remote::of(folder_.url()).value(), .workspace = folder_.here()};
    options.remote.program = kProgram;
    options.patience = milliseconds(8000);
    int owner[2];
    ASSERT_EQ(::pipe2(owner, O_CLOEXEC), 0);
    options.owner = owner[0];
    options.news = [&](const MirrorNews& news) {
        if (news.state == MirrorNews::State::Lost) lost.push_back(news.why);
        if (news.state != MirrorNews::State::CaughtUp) return;
        if (++connected == 1) {
            for (const pid_t child : childrenOf(::getpid())) ::kill(child, SIGSTOP);
        } else {
            ::close(std::exchange(owner[1], -1));
        }
    };
    EXPECT_TRUE(keepMirror(options, signals)) << "it ends with its owner";
    ::close(owner[0]);
    ASSERT_EQ(lost.size(), 1U);
    EXPECT_THAT(lost[0], HasSubstr("nothing was heard"));
    EXPECT_EQ(connected, 2);
    ::unsetenv(kSshVariable);
}

TEST_F(MirrorClientTest, WhatIsWrongIsSaidAtTheFirstConnection) {
    const auto mirrored = [&](const std::string& url, const std::string& program, const std::string& ssh = "") {
        if (!ssh.empty()) writeText(folder_.run.folder / "ssh", "#!/bin/sh\n" + ssh);
        const Ended ended = folder_.program({"mirror", url, "-w", "here", "--dasgd", program}).wait();
        EXPECT_EQ(ended.exit, 1) << url;
        return ended.err;
    };
    EXPECT_THAT(mirrored("login:/none", kProgram), HasSubstr("there is no workspace in /none"));
    EXPECT_THAT(mirrored(folder_.url(), "/none/dasgd"), HasSubstr("--dasgd"));
    EXPECT_THAT(mirrored(folder_.url(), kProgram, "echo Welcome to login1; sleep 1\n"), HasSubstr("Welcome to login1"));
    EXPECT_THAT(mirrored(folder_.url(), kProgram, "echo 'Permission denied.' >&2; exit 255\n"),
                HasSubstr("Permission denied."));
    EXPECT_FALSE(std::filesystem::exists(folder_.here())) << "no workspace is made for what does not come about";
    const Ended ended = folder_.program({"mirror", "lab", "-w", "here"}).wait();
    EXPECT_EQ(ended.exit, 2);
    EXPECT_THAT(ended.err, HasSubstr("names no host"));
}

// A server that is no `dasgd`: its first words, and then the same bytes on each connection.
TEST_F(MirrorClientTest, WhatIsDamagedOrTooMuchEndsTheMirrorWithAReason) {
    const auto& folder = folder_.run.folder;
    ::setenv(kSshVariable, (folder / "ssh").c_str(), 1);
    const auto schema = static_cast<std::uint32_t>(storage::labSchema().version);
    const std::string hello =
        encodeFrame(FrameType::Hello, Hello{.schema = schema, .workspace = "w", .program = "1"}.bytes());
    storage::MirrorPart large{.runId = "run-a"};
    large.files.push_back({.path = "logs/rank-0000.log", .offset = storage::MirrorSink::kMostFileBytes, .bytes = "x"});
    const auto reasonOf = [&](const std::string& frames, bool once) {
        writeText(folder / "frames", hello + frames);
        writeText(folder / "ssh", "#!/bin/sh\necho >>" + (folder / "connected").string() + "\ncat " +
                                      (folder / "frames").string() + "\nexec sleep 20\n");
        std::filesystem::remove(folder / "connected");
        StopSignals signals;
        MirrorOptions options{.remote = Remote::of(folder_.url()).value(), .workspace = folder_.here(), .once = once};
        options.firstPause = options.longestPause = milliseconds(10);
        const Status ended = keepMirror(options, signals);
        return (ended ? "" : ended.error().message) + "|" + contentOf(folder / "connected");
    };
    for (const bool once : {true, false}) {
        EXPECT_THAT(reasonOf(encodeFrame(FrameType::Part, numberBytes(1) + "no part"), once),
                    ::testing::AllOf(HasSubstr("a part of a run is damaged"), HasSubstr("the last 3 connections"),
                                     ::testing::EndsWith("|\n\n\n")));
        EXPECT_THAT(reasonOf(std::string(5, '\xff'), once), HasSubstr("the last 3 connections"));
        EXPECT_THAT(reasonOf(encodeFrame(FrameType::Part, numberBytes(1) + storage::encode(large)), once),
                    ::testing::AllOf(HasSubstr("more than 64 MiB"), ::testing::EndsWith("|\n")));
    }
    ::unsetenv(kSshVariable);
}

TEST_F(MirrorClientTest, AnotherVersionIsNamedWithBothNumbers) {
    SQLite::Database((folder_.there() / "lab.db").string(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 99");
    EXPECT_THAT(folder_.once().err, HasSubstr("schema version 99"));
}

}  // namespace
}  // namespace dasgd::experiments
