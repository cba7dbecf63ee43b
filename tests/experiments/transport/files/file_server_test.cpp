#include "experiments/transport/files/file_server.h"

#include <gmock/gmock.h>

#include <future>
#include <thread>

#include "experiments/transport/curve/curve_socket.h"
#include "tests/support/file_post.h"

namespace dasgd::experiments {
namespace {

using namespace file_post;
using ::testing::ElementsAre;

constexpr const char* kLog = "logs/rank-1.log";

// Messages as they come, those too that no FileClient sends.
class FileServerTest : public test::FilePost {
protected:
    void SetUp() override {
        serve();
        setLimits(socket_);
        connectWith(socket_, secret_.collectorKeys().publicKey, secret_.forwarderKeys());
        socket_.set(zmq::sockopt::rcvtimeo, 10'000);
        socket_.connect(server_->endpoint());
    }
    void say(const Parts& parts) {
        for (std::size_t i = 0; i < parts.size(); ++i) {
            socket_.send(zmq::buffer(parts[i]),
                         i + 1 < parts.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
        }
    }
    // Kind of the answer to a request.
    char ask(Parts request) {
        request.insert(request.begin(), "n");
        say(request);
        Parts answer;
        do {
            zmq::message_t part;
            if (!socket_.recv(part)) return '?';
            answer.push_back(part.to_string());
        } while (socket_.get(zmq::sockopt::rcvmore));
        return answer.at(1).front();
    }
    // Asks for the end of a part until it is done or wrong; answers which.
    char end(const std::string& size, const std::string& name = kLog, const std::string& rank = "1") {
        while (true) {
            const char kind = ask({"E", rank, name, size});
            if (kind != kWait) return kind;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }

    zmq::context_t context_{1};
    zmq::socket_t socket_{context_, zmq::socket_type::dealer};
};

TEST_F(FileServerTest, ARequestThatComesTwiceDoesTheSame) {
    for (int i = 0; i < 2; ++i) EXPECT_EQ(ask({"P", "1", kLog, "0", "abc"}), kYes);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(ask({"P", "1", kLog, "3", "def"}), kYes);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(end("6"), kYes);
    EXPECT_EQ(there(kLog), "abcdef");
    EXPECT_THAT(arrived(), ElementsAre(kLog));
    EXPECT_EQ(ask({"P", "1", kLog, "0", "new"}), kYes);
    EXPECT_EQ(there(kLog), "abcdef") << "until all of the next is there";
    EXPECT_EQ(end("3"), kYes);
    EXPECT_EQ(there(kLog), "new");
}

TEST_F(FileServerTest, APartThatIsMissingIsNoticed) {
    EXPECT_EQ(ask({"P", "1", kLog, "3", "def"}), kWrong) << "nothing has begun";
    EXPECT_EQ(ask({"P", "1", kLog, "0", "abc"}), kYes);
    EXPECT_EQ(ask({"P", "1", kLog, "5", "xyz"}), kWrong);
    EXPECT_EQ(end("8"), kWrong);
    EXPECT_EQ(ask({"E", "2", "logs/rank-2.log", "0"}), kWrong);
    EXPECT_TRUE(arrived().empty());
    EXPECT_FALSE(std::filesystem::exists(dir_ / "run" / kLog));
}

std::string partOf(int step, int rank) {
    return "checkpoints/step-" + std::to_string(step) + ".partial/rank-000" + std::to_string(rank) + ".safetensors";
}

// Bringing it to the disk, or completing the checkpoint, may take long.
TEST_F(FileServerTest, APartThatIsEndingHoldsUpNobody) {
    std::promise<void> disk;
    const std::shared_future<void> ready = disk.get_future().share();
    socket_.disconnect(server_->endpoint());
    serve([ready](const std::string& name) -> Status {
        if (name == partOf(20, 1)) ready.wait();
        return {};
    });
    socket_.connect(server_->endpoint());
    EXPECT_EQ(ask({"P", "1", partOf(20, 1), "0", "abc"}), kYes);
    EXPECT_EQ(ask({"E", "1", partOf(20, 1), "3"}), kWait);
    EXPECT_EQ(ask({"P", "1", partOf(20, 1), "0", "new"}), kWait) << "as it comes again";
    EXPECT_EQ(ask({"P", "1", partOf(30, 1), "0", "def"}), kYes) << "the next one";
    EXPECT_EQ(ask({"P", "2", partOf(20, 2), "0", "ghi"}), kYes);
    EXPECT_EQ(end("3", partOf(20, 2), "2"), kYes);
    EXPECT_EQ(end("3", partOf(30, 1)), kYes);
    disk.set_value();
    server_.reset();
    EXPECT_EQ(there(partOf(20, 1)), "abc");
    EXPECT_EQ(there(partOf(30, 1)), "def");
}

TEST_F(FileServerTest, WhatNeverCameWholeLeavesNothing) {
    EXPECT_EQ(ask({"P", "1", kLog, "0", "abc"}), kYes);
    EXPECT_EQ(ask({"P", "1", partOf(20, 1), "0", "abc"}), kYes);
    EXPECT_EQ(ask({"P", "1", partOf(30, 1), "0", "abc"}), kYes);
    const std::int64_t moved = server_->moved();
    EXPECT_GT(moved, 0);
    EXPECT_EQ(ask({"P", "1", partOf(30, 2), "0", "abc"}), kWrong);
    EXPECT_EQ(server_->moved(), moved);
    server_.reset();
    for (const auto& entry : std::filesystem::recursive_directory_iterator(dir_ / "run")) {
        EXPECT_TRUE(entry.is_directory()) << entry.path();
    }
}

TEST_F(FileServerTest, ARunThatWasRemovedDoesNotComeBack) {
    EXPECT_EQ(ask({"P", "1", partOf(20, 1), "0", "abc"}), kYes);
    std::filesystem::remove_all(dir_ / "run");
    EXPECT_EQ(ask({"P", "1", partOf(30, 1), "0", "abc"}), kWrong);
    EXPECT_EQ(ask({"P", "1", kLog, "0", "abc"}), kWrong);
    EXPECT_FALSE(std::filesystem::exists(dir_ / "run"));
}

TEST_F(FileServerTest, WhatIsNoRequestIsRefusedAndDoesNoHarm) {
    const std::string text(1000, 'x');
    for (const Parts& request : {Parts{"P"}, Parts{"P", "1", kLog, "0"}, Parts{"P", "1", kLog, "-1", text},
                                 Parts{"P", "1", kLog, "9999999999999999999", text}, Parts{"P", "one", kLog, "0", text},
                                 Parts{"P", "1", "/etc/passwd", "0", text}, Parts{"P", "-1", kLog, "0", text},
                                 Parts{"G", "state.json", "-5"}, Parts{"G", "../../e", "0"}, Parts{"Z", "1", kLog, "0"},
                                 Parts{"", "1", kLog, "0"}, Parts{text, text, text, text, text, text}}) {
        EXPECT_EQ(ask(request), kWrong) << request.front();
    }
    say({"one part"});
    EXPECT_EQ(ask({"P", "1", kLog, "0", "abc"}), kYes);
}

}  // namespace
}  // namespace dasgd::experiments
