#include "experiments/forward/file_server.h"

#include <gmock/gmock.h>

#include "experiments/forward/curve_socket.h"
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
    // What is answered to a request: its kind.
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
    // Until it is done or wrong.
    char end(const std::string& size) {
        while (true) {
            const char kind = ask({"E", "1", kLog, size});
            if (kind != kWait) return kind;
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
