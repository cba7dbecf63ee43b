#include "experiments/transport/files/file_client.h"

#include <gmock/gmock.h>

#include <thread>

#include "experiments/transport/curve/curve_server.h"
#include "tests/support/file_post.h"

namespace dasgd::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kPart = "checkpoints/step-20.partial/rank-0001.safetensors";

class FileClientTest : public test::FilePost {};

std::string content(std::size_t bytes) {
    std::string text(bytes, '\0');
    for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>(i * 2654435761U >> 13);
    return text;
}

// Files of no byte, of less than a message, of some messages exactly, and of more.
TEST_F(FileClientTest, WhatIsSentIsThereWholeWhenItReturns) {
    serve();
    for (const std::size_t bytes :
         {std::size_t{0}, std::size_t{10}, 2 * file_post::kChunkBytes, 3 * file_post::kChunkBytes + 77}) {
        const std::string text = content(bytes);
        const Status sent = client().send(write("file", text), kPart);
        ASSERT_TRUE(sent) << sent.error().message;
        EXPECT_TRUE(there(kPart) == text) << bytes << " bytes";
    }
    EXPECT_EQ(arrived().size(), 4U);
    EXPECT_TRUE(client().send(write("log", "first second"), "logs/rank-1.log", 6));
    EXPECT_EQ(there("logs/rank-1.log"), "second");
}

// The server knows nothing of a chunk that it was sent, as after a connection that broke.
TEST_F(FileClientTest, AChunkThatIsNotAnsweredIsSentAgain) {
    zmq::context_t context{1};
    zmq::socket_t deaf(context, zmq::socket_type::router);
    setLimits(deaf);
    serveWith(deaf, secret_.serverKeys());
    deaf.set(zmq::sockopt::rcvtimeo, 10'000);
    deaf.bind("tcp://127.0.0.1:*");
    const FileClient there(deaf.get(zmq::sockopt::last_endpoint), secret_, Rank(1), std::chrono::seconds(30));
    Status sent = fail("nothing");
    std::jthread sender([&, file = write("file", "text")] { sent = there.send(file, kPart); });
    int puts = 0;
    while (true) {
        Parts message;
        zmq::message_t part;
        do {
            if (!deaf.recv(part)) break;
            message.push_back(part.to_string());
        } while (part.more());
        ASSERT_GE(message.size(), 3U) << "it has given up";
        const bool put = message[2].front() == file_post::kPut;
        if (put && ++puts <= 2) continue;
        ASSERT_TRUE(sendNow(deaf, {message[0], message[1], std::string(1, kYes), ""}));
        if (!put) break;
    }
    sender.join();
    EXPECT_TRUE(sent) << sent.error().message;
}

TEST_F(FileClientTest, ManyRanksSendAtOnce) {
    serve();
    const std::string text = content(5 * file_post::kChunkBytes + 1);
    const auto file = write("file", text);
    {
        std::vector<std::jthread> ranks;
        for (const int rank : {1, 2}) {
            ranks.emplace_back([&, rank] {
                for (int step = 1; step <= 5; ++step) {
                    const std::string part = "checkpoints/step-" + std::to_string(step) + ".partial/rank-000" +
                                             std::to_string(rank) + ".safetensors";
                    EXPECT_TRUE(client(rank).send(file, part));
                    EXPECT_TRUE(there(part) == text);
                }
            });
        }
    }
    EXPECT_EQ(arrived().size(), 10U);
}

TEST_F(FileClientTest, WhatDoesNotGoThereIsSaidByTheSender) {
    serve([](const std::string&) -> Status { return fail("rank-0000.safetensors: is damaged"); });
    const auto file = write("file", "text");
    EXPECT_THAT(client().send(file, kPart).error().message, HasSubstr("rank-0000.safetensors: is damaged"));
    EXPECT_THAT(client(2).send(file, kPart).error().message, HasSubstr("is no file that rank 2 sends"));
    EXPECT_THAT(client(3).send(file, "model.safetensors").error().message, HasSubstr("is no file that rank 3 sends"));
    EXPECT_THAT(client().send(file, "../outside").error().message, HasSubstr("is no file that rank 1 sends"));
    EXPECT_THAT(client().send(dir_ / "missing", kPart).error().message, HasSubstr("missing: cannot be read"));
    EXPECT_THAT(arrived(), ElementsAre(kPart));
    test::writeText(dir_ / "run" / "logs", "a file where a folder is to be");
    EXPECT_THAT(client().send(file, "logs/rank-1.log").error().message, HasSubstr("cannot be written"));
}

TEST_F(FileClientTest, ACheckpointIsFetched) {
    serve();
    const std::string text = content(2 * file_post::kChunkBytes + 5);
    write("from/state.json", "{}");
    write("from/rank-0002.safetensors", text);
    write("secret", "not for them");
    EXPECT_TRUE(client().fetch("state.json", dir_ / "got"));
    EXPECT_EQ(test::contentOf(dir_ / "got"), "{}");
    EXPECT_TRUE(client().fetch("rank-0002.safetensors", dir_ / "got"));
    EXPECT_TRUE(test::contentOf(dir_ / "got") == text);
    EXPECT_THAT(client().fetch("rank-0001.safetensors", dir_ / "got").error().message, HasSubstr("cannot be read"));
    EXPECT_THAT(client().fetch("../secret", dir_ / "got").error().message, HasSubstr("no such file"));
}

TEST_F(FileClientTest, WithoutTheSecretNothingIsLetIn) {
    serve();
    const FileClient stranger(server_->endpoint(), RunSecret::make().value(), Rank(1), std::chrono::milliseconds(500));
    EXPECT_THAT(stranger.send(write("file", "text"), kPart).error().message, HasSubstr("does not answer"));
    EXPECT_TRUE(std::filesystem::is_empty(dir_ / "run"));
}

TEST_F(FileClientTest, AServerThatIsGoneIsGivenUp) {
    serve();
    const FileClient there(server_->endpoint(), secret_, Rank(1), std::chrono::milliseconds(300));
    server_.reset();
    EXPECT_THAT(there.send(write("file", "text"), kPart).error().message, HasSubstr("does not answer"));
}

}  // namespace
}  // namespace dasgd::experiments
