// Service of one host for a launcher: requests, answers, and the end of its ranks when the launcher is gone.
#include "experiments/cluster/host/host_service.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "core/checkpoint/checkpoint_folder.h"
#include "experiments/base/errors.h"
#include "experiments/transport/curve/run_secret.h"
#include "storage/read/run_reader.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/free_port.h"
#include "tests/support/live_run.h"

namespace dasgd::experiments {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;

// A `dasgd host-ranks` and our ends of its pipes.
class HostServiceTest : public ::testing::Test {
protected:
    void SetUp() override {
        ::signal(SIGPIPE, SIG_IGN);
        connect();
    }
    // Connects to one more host service; the one before sees that its launcher is gone.
    void connect() {
        int input[2];
        ASSERT_EQ(::pipe2(input, O_CLOEXEC), 0);
        const Descriptor theirs(input[0]);
        channel_.reset();
        input_ = Descriptor(input[1]);
        auto started =
            ChildProcess::start({.program = test::kProgram, .arguments = {"host-ranks"}, .input = theirs.get()});
        ASSERT_TRUE(started);
        process_.emplace(std::move(*started));
        channel_.emplace(process_->reportFd(), input_.get());
    }
    nlohmann::json ask(const char* what, nlohmann::json request) {
        tell(what, std::move(request));
        return await([&](const nlohmann::json& document) { return document.value("re", "") == what; });
    }
    void tell(const char* what, nlohmann::json request) {
        request["do"] = what;
        channel_->send(FrameType::Document, request.dump());
        EXPECT_TRUE(channel_->flush(milliseconds(10'000)));
    }
    void hangUp() {
        channel_.reset();
        input_ = Descriptor();
    }
    nlohmann::json await(const std::function<bool(const nlohmann::json&)>& wanted) {
        nlohmann::json found;
        EXPECT_TRUE(test::eventually(
            [&] {
                channel_->pump(milliseconds(100));
                while (const auto frame = channel_->receive().value()) {
                    if (frame->type != FrameType::Document) continue;
                    auto document = nlohmann::json::parse(frame->body);
                    if (!wanted(document)) continue;
                    found = std::move(document);
                    return true;
                }
                return channel_->closed();
            },
            std::chrono::seconds(40)));
        return found;
    }
    nlohmann::json ranks(int steps) {
        RanksRequest request{.experiment = test::quickExperiment("gloo", steps),
                             .workspace = (folder_ / "w").string(),
                             .secret = RunSecret::make().value().hex(),
                             .address = "127.0.0.1",
                             .interface = "lo",
                             .port = test::freePort(),
                             .size = 2,
                             .count = 2};
        return request.toJson();
    }
    [[nodiscard]] storage::RunRow newest() const {
        auto reader = storage::RunReader::open(folder_ / "w");
        return reader ? reader->list()->front() : storage::RunRow();
    }

    test::TempDir folder_;
    Descriptor input_;
    std::optional<ChildProcess> process_;
    std::optional<FrameChannel> channel_;
};

TEST_F(HostServiceTest, AnswersWhatItIsAsked) {
    const auto hello = ask(kHello, {{"workspace", (folder_ / "w").string()}, {"interface", "lo"}});
    EXPECT_EQ(hello["version"], DASGD_VERSION);
    const auto listening = ask(kListen, {{"address", "127.0.0.1"}});
    const auto reached = ask(kReach, {{"address", "127.0.0.1"}, {"port", listening["port"]}});
    EXPECT_GE(reached["ms"], 0.0);
    EXPECT_GT(ask(kTime, nlohmann::json::object())["now"], 1'600'000'000'000'000'000);
    EXPECT_GT(ask(kPort, {{"address", "127.0.0.1"}, {"port", 0}})["port"], 0);
    EXPECT_THAT(ask("nonsense", nlohmann::json::object())["error"].get<std::string>(), HasSubstr("no request"));
}

TEST_F(HostServiceTest, ChecksExperimentsWithTheirPlaces) {
    const auto answer = ask(kCheck, {{"text", test::quickExperiment() + "[sweep]\n\"train.seed\" = [1, 2]\n"},
                                     {"source", "e.toml"},
                                     {"set", {"train.steps=7"}}});
    ASSERT_EQ(answer["experiments"].size(), 2u) << answer;
    EXPECT_EQ(answer["experiments"][0]["workers"], 2);
    EXPECT_EQ(answer["experiments"][0]["steps"], 7);
    EXPECT_EQ(answer["experiments"][0]["rank_bytes"], 2 * 2 * 8) << "two weights and their gradients, in float64";
    const auto wrong =
        ask(kCheck, {{"text", "[algorithm]\nname = \"dasgdd\"\n[model]\nname = \"mlp\"\n"}, {"source", "e.toml"}});
    EXPECT_THAT(wrong["error"].get<std::string>(), ::testing::StartsWith("e.toml:2:8: "));
    const auto virtualOnes = ask(kCheck, {{"text", test::quickExperiment("virtual")}, {"source", "e.toml"}});
    EXPECT_THAT(virtualOnes["error"].get<std::string>(), HasSubstr("leave out --on"));
}

// A host that runs out of memory would not answer for minutes.
TEST_F(HostServiceTest, RanksThatDoNotFitAreNotStarted) {
    nlohmann::json request = ranks(10);
    request["size"] = request["count"] = 4096;
    request["bytesOfRank"] = 186e6;
    const auto refused = ask(kStart, request);
    EXPECT_THAT(refused["error"].get<std::string>(),
                AllOf(HasSubstr("4096 of them on this host"), HasSubstr("ranks_per_host")));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "w")) << "nothing was begun";
}

TEST_F(HostServiceTest, StopsItsRanksWhenTheLauncherIsGone) {
    EXPECT_FALSE(ask(kStart, ranks(100'000'000)).contains("error"));
    ASSERT_TRUE(test::newestRunTrains(folder_ / "w"));
    hangUp();
    const auto exit = process_->awaitEnd(30'000'000'000);
    ASSERT_TRUE(exit);
    EXPECT_EQ(exit->code, kFinished);
    EXPECT_EQ(newest().status, "stopped") << "at one step, with everything recorded";
}

// Ctrl-C asks for a stop, and the connection or the launcher is lost before the ranks have stopped.
TEST_F(HostServiceTest, ALauncherThatIsGoneAfterItAskedForAStopCostsNoCheckpoint) {
    EXPECT_FALSE(ask(kStart, ranks(100'000'000)).contains("error"));
    ASSERT_TRUE(test::newestRunTrains(folder_ / "w"));
    tell(kStop, nlohmann::json::object());
    std::this_thread::sleep_for(milliseconds(150));  // the ranks have at least this long to agree on a step
    hangUp();
    const auto exit = process_->awaitEnd(30'000'000'000);
    ASSERT_TRUE(exit);
    EXPECT_EQ(exit->code, kFinished);
    const storage::RunRow row = newest();
    EXPECT_EQ(row.status, "stopped") << row.error;
    const auto saved = CheckpointFolder(storage::WorkspacePaths{folder_ / "w"}.checkpoints(row.runId)).latest();
    ASSERT_TRUE(saved) << saved.error().message;
    EXPECT_EQ(saved->checkpoint.state.step, row.steps);
}

// A launcher whose connection was cut knows the run, which may still be about to stop.
TEST_F(HostServiceTest, GoesOnWithTheRunOfALostConnection) {
    EXPECT_FALSE(ask(kStart, ranks(100'000'000)).contains("error"));
    ASSERT_TRUE(test::newestRunTrains(folder_ / "w"));
    const auto progress = await([](const nlohmann::json& document) { return document.contains("run"); });
    const storage::RunRow row = newest();
    EXPECT_EQ(progress["run"], row.runId);
    const auto lost = std::move(process_);
    connect();
    nlohmann::json request = {
        {"workspace", (folder_ / "w").string()}, {"text", row.config}, {"started", row.runId}, {"workers", 2}};
    const auto going = ask(kPlanResume, request);
    EXPECT_EQ(going["from"], row.runId) << going;
    EXPECT_GT(going["step"], 10);
    request["started"] = "";
    EXPECT_EQ(ask(kPlanResume, request)["from"], "") << "who knows of none begins at the beginning";
    request["text"] = "# another experiment that this one went on with\n" + row.config;
    request["earlier"] = row.runId;
    request["earlier_step"] = going["step"];
    const auto earlier = ask(kPlanResume, request);
    EXPECT_EQ(earlier["from"], row.runId);
    EXPECT_EQ(earlier["step"], going["step"]);
    EXPECT_EQ(earlier["experiment"]["text"], row.config);
}

TEST_F(HostServiceTest, SaysThatTheRunOfALostConnectionHasFinished) {
    EXPECT_FALSE(ask(kStart, ranks(30)).contains("error"));
    static_cast<void>(
        await([](const nlohmann::json& document) { return document.value("event", "") == kAllEndedEvent; }));
    const storage::RunRow row = newest();
    connect();
    const auto going =
        ask(kPlanResume,
            {{"workspace", (folder_ / "w").string()}, {"text", row.config}, {"started", row.runId}, {"workers", 2}});
    EXPECT_EQ(going["finished"]["row"]["run_id"], row.runId) << going;
    EXPECT_EQ(going["finished"]["row"]["status"], "finished");
    const auto older =
        ask(kPlanResume, {{"workspace", (folder_ / "w").string()}, {"text", row.config}, {"resume", true}});
    EXPECT_THAT(older["error"].get<std::string>(), HasSubstr("has finished"));
}

TEST_F(HostServiceTest, TakesItsRanksAlongWhenItIsKilled) {
    EXPECT_FALSE(ask(kStart, ranks(100'000'000)).contains("error"));
    ASSERT_TRUE(test::newestRunTrains(folder_ / "w"));
    const auto children = test::childrenOf(process_->id());
    ASSERT_EQ(children.size(), 2u);
    process_->signal(SIGKILL);
    EXPECT_TRUE(test::eventually(
        [&] { return std::ranges::none_of(children, [](pid_t child) { return ::kill(child, 0) == 0; }); }));
}

TEST(HostServiceSilence, IsTakenForGone) {
    int input[2], output[2];
    ASSERT_EQ(::pipe2(input, O_CLOEXEC), 0);
    ASSERT_EQ(::pipe2(output, O_CLOEXEC), 0);
    test::ChildProcess service([&] {
        StopSignals signals;
        HostService({.input = input[0], .output = output[1], .program = test::kProgram, .silence = milliseconds(500)},
                    signals)
            .serve();
        return 7;
    });
    EXPECT_EQ(service.wait(), 7) << "although the pipe is still open";
    for (const int fd : {input[0], input[1], output[0], output[1]}) ::close(fd);
}

}  // namespace
}  // namespace dasgd::experiments
