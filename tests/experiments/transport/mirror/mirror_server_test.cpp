#include "experiments/transport/mirror/mirror_server.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <thread>

#include "core/base/bytes.h"
#include "experiments/transport/mirror/hello.h"
#include "experiments/transport/pipe/frame_channel.h"
#include "storage/mirror/mirror_codec.h"
#include "tests/support/mirrors.h"

namespace dasgd::experiments {
namespace {

using namespace dasgd::test;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

// A server in a thread, and the other end of its streams.
class Served {
public:
    explicit Served(MirrorServerOptions options) {
        DASGD_CHECK(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, files_) == 0);
        thread_ = std::thread([this, options] { ended_ = serveMirror(options, files_[1], files_[1], signals_); });
        channel = std::make_unique<FrameChannel>(files_[0], files_[0]);
    }
    ~Served() {
        close();
        ::close(files_[1]);
    }
    // Ends the server; answers its status.
    Status close() {
        channel.reset();
        if (files_[0] >= 0) ::close(std::exchange(files_[0], -1));
        if (thread_.joinable()) thread_.join();
        return ended_;
    }
    Status wait() {
        thread_.join();
        return ended_;
    }
    // nullopt: none came in time.
    std::optional<Frame> hear(milliseconds patience = milliseconds(20'000)) {
        const auto until = std::chrono::steady_clock::now() + patience;
        while (std::chrono::steady_clock::now() < until) {
            auto frame = channel->receive().value();
            if (frame && frame->type != FrameType::Alive) return frame;
            if (!frame && channel->closed()) break;
            if (!frame) channel->pump(milliseconds(50));
        }
        return std::nullopt;
    }
    std::unique_ptr<FrameChannel> channel;

private:
    int files_[2]{-1, -1};
    StopSignals signals_;
    Status ended_;
    std::thread thread_;
};

TEST(MirrorServerTest, TellsEverythingThenThatItIsAll) {
    OneRun run;
    addRecords(run.folder / "workspace", "run-a", 20'000, 100);
    Served served({.workspace = run.folder / "workspace"});
    const auto hello = served.hear();
    ASSERT_TRUE(hello);
    ASSERT_TRUE(Hello::of(hello->body));
    EXPECT_EQ(Hello::of(hello->body)->workspace, sourceOf(run.folder / "workspace")->identity());
    served.channel->send(FrameType::Known, storage::encode(std::vector<storage::KnownRun>{}));
    std::size_t records = 0;
    for (auto frame = served.hear(); frame && frame->type == FrameType::Part; frame = served.hear()) {
        records += orDie(storage::decodePart(frame->body.substr(8))).records();
        served.channel->send(FrameType::Taken, frame->body.substr(0, 8));
    }
    EXPECT_EQ(records, 20'100U);
    addRecords(run.folder / "workspace", "run-a", 10, 0);
    const auto next = served.hear();
    ASSERT_TRUE(next);
    EXPECT_EQ(next->type, FrameType::Part);
    EXPECT_TRUE(served.close()) << "it ends with its input";
}

// The records that the other side has not stored yet are bounded, however slow it is.
TEST(MirrorServerTest, WaitsForWhatIsTaken) {
    OneRun run;
    addRecords(run.folder / "workspace", "run-a", 200'000, 0);
    Served served({.workspace = run.folder / "workspace"});
    ASSERT_TRUE(served.hear());
    served.channel->send(FrameType::Known, storage::encode(std::vector<storage::KnownRun>{}));
    int parts = 0;
    while (served.hear(milliseconds(parts < 4 ? 20'000 : 1000))) ++parts;
    EXPECT_EQ(parts, 4);
    served.channel->send(FrameType::Taken, numberBytes(2));
    while (served.hear(milliseconds(parts < 6 ? 20'000 : 1000))) ++parts;
    EXPECT_EQ(parts, 6);
}

TEST(MirrorServerTest, WhatIsNoFrameEndsItAndIsSaid) {
    OneRun run;
    for (const std::string& bytes :
         {std::string("GET / HTTP/1.0\r\n\r\n"), encodeFrame(FrameType::Known, "garbage"),
          encodeFrame(FrameType::Taken, numberBytes(3)), encodeFrame(FrameType::Part, "x")}) {
        int files[2];
        ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, files), 0);
        ASSERT_EQ(::write(files[0], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
        StopSignals signals;
        EXPECT_FALSE(serveMirror({.workspace = run.folder / "workspace"}, files[1], files[1], signals));
        FrameChannel channel(files[0], files[0]);
        channel.pump(milliseconds(1000));
        EXPECT_EQ(channel.receive().value()->type, FrameType::Hello);
        channel.pump(milliseconds(1000));
        EXPECT_EQ(channel.receive().value()->type, FrameType::Refusal);
        for (const int file : files) ::close(file);
    }
}

TEST(MirrorServerTest, NoWorkspaceIsSaidToTheOtherSideToo) {
    const TempDir folder;
    Served served({.workspace = folder / "none"});
    const auto frame = served.hear();
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->type, FrameType::Refusal);
    EXPECT_THAT(frame->body, HasSubstr("no workspace"));
    EXPECT_FALSE(served.wait());
    EXPECT_FALSE(std::filesystem::exists(folder / "none")) << "nothing is made";
}

TEST(MirrorServerTest, ASilentOtherSideIsNotWaitedForWithoutEnd) {
    OneRun run;
    Served served({.workspace = run.folder / "workspace", .patience = milliseconds(300)});
    const Status ended = served.wait();
    ASSERT_FALSE(ended);
    EXPECT_THAT(ended.error().message, HasSubstr("nothing was heard"));
}

}  // namespace
}  // namespace dasgd::experiments
