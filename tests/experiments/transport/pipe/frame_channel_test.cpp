#include "experiments/transport/pipe/frame_channel.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "core/base/bytes.h"
#include "core/base/check.h"

namespace dasgd::experiments {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

struct Ends {
    Ends() {
        ::signal(SIGPIPE, SIG_IGN);
        DASGD_CHECK(::socketpair(AF_UNIX, SOCK_STREAM, 0, files) == 0);
    }
    ~Ends() {
        for (const int file : files) close(file);
    }
    static void close(int file) {
        if (file >= 0) ::close(file);
    }
    int files[2]{-1, -1};
};

TEST(FrameDecoderTest, FramesComeOutHoweverTheirBytesArrive) {
    const std::string bytes = encodeFrame(FrameType::Part, "one") + encodeFrame(FrameType::Alive, "") +
                              encodeFrame(FrameType::Taken, numberBytes(7));
    for (std::size_t step = 1; step <= bytes.size(); ++step) {
        FrameDecoder decoder;
        std::vector<Frame> frames;
        for (std::size_t at = 0; at < bytes.size(); at += step) {
            decoder.add(std::string_view(bytes).substr(at, step));
            while (auto frame = decoder.next().value()) frames.push_back(*frame);
        }
        ASSERT_EQ(frames.size(), 3U) << step;
        EXPECT_EQ(frames[0].body, "one");
        EXPECT_EQ(frames[1].type, FrameType::Alive);
        EXPECT_EQ(numberOf(frames[2].body), 7U);
        EXPECT_EQ(decoder.heldBytes(), 0U);
    }
}

TEST(FrameDecoderTest, WhatIsNoFrameIsRefusedBeforeItIsHeld) {
    for (const std::string& bytes : {std::string("Welcome to login1"), std::string("\xff\xff\xff\xff\x03", 5),
                                     std::string("\0\0\0\0\0", 5), std::string("\0\0\0\0\x63", 5)}) {
        FrameDecoder decoder;
        decoder.add(bytes);
        EXPECT_FALSE(decoder.next());
        EXPECT_FALSE(decoder.next()) << "it stays so";
    }
}

TEST(FrameDecoderTest, AnAnnouncedLengthCostsNothingUntilItComes) {
    FrameDecoder decoder;
    std::string head = encodeFrame(FrameType::Part, "");
    head.replace(0, 4, std::string("\0\0\0\x04", 4));  // 64 MiB
    decoder.add(head);
    ASSERT_TRUE(decoder.next());
    EXPECT_FALSE(*decoder.next());
    EXPECT_EQ(decoder.heldBytes(), head.size());
}

// Shells and their start-up files print things.
TEST(FrameDecoderTest, NoiseBeforeTheGreetingIsSkippedAndNotHeld) {
    const std::string frames = encodeFrame(FrameType::Hello, kGreeting) + encodeFrame(FrameType::Document, "{}");
    for (const std::string& noise : {std::string(), std::string("\n"), std::string("Welcome to login1\r\n"),
                                     std::string("DASGD"), std::string(5000, '\x01')}) {
        for (const std::size_t step : {1, 3, 10'000}) {
            FrameDecoder decoder(Noise::Skipped);
            std::vector<Frame> found;
            const std::string bytes = noise + frames;
            for (std::size_t at = 0; at < bytes.size(); at += step) {
                decoder.add(std::string_view(bytes).substr(at, step));
                while (auto frame = decoder.next().value()) found.push_back(*frame);
                EXPECT_LE(decoder.heldBytes(), 20U);
            }
            ASSERT_EQ(found.size(), 2U) << noise.size() << " " << step;
            EXPECT_EQ(found[0].type, FrameType::Hello);
            EXPECT_EQ(found[1].body, "{}");
        }
    }
    FrameDecoder decoder(Noise::Skipped);
    decoder.add(frames + "Welcome to login1");
    EXPECT_TRUE(decoder.next().value());
    EXPECT_TRUE(decoder.next().value());
    EXPECT_FALSE(decoder.next()) << "noise after the greeting";
}

TEST(FrameChannelTest, LargeFramesPassBothWaysAtOnce) {
    Ends ends;
    FrameChannel a(ends.files[0], ends.files[0]), b(ends.files[1], ends.files[1]);
    const std::string large(3 << 20, 'x');
    std::size_t atA = 0, atB = 0;
    for (int i = 0; i < 3; ++i) {
        a.send(FrameType::Part, large);
        b.send(FrameType::Known, large);
    }
    for (int round = 0; round < 100'000 && (atA < 3 || atB < 3); ++round) {
        a.pump(milliseconds(1));
        b.pump(milliseconds(1));
        while (const auto frame = a.receive().value()) atA += frame->body == large ? 1 : 0;
        while (const auto frame = b.receive().value()) atB += frame->body == large ? 1 : 0;
    }
    EXPECT_EQ(atA, 3U);
    EXPECT_EQ(atB, 3U);
}

TEST(FrameChannelTest, WhatWasSaidBeforeTheEndIsStillRead) {
    Ends ends;
    FrameChannel reader(ends.files[1], ends.files[1]);
    {
        FrameChannel writer(ends.files[0], ends.files[0]);
        writer.send(FrameType::Refusal, "why");
        writer.pump(milliseconds(100));
    }
    ::close(std::exchange(ends.files[0], -1));
    for (int i = 0; i < 10 && !reader.closed(); ++i) reader.pump(milliseconds(100));
    EXPECT_TRUE(reader.closed());
    const auto frame = reader.receive().value();
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->body, "why");
}

TEST(FrameChannelTest, IsFlushedThoughTheOtherSideIsSlow) {
    Ends ends;
    std::size_t read = 0;
    std::thread slow([&] {
        FrameChannel reader(ends.files[1], ends.files[1]);
        for (int round = 0; round < 10'000 && !reader.closed() && read == 0; ++round) {
            reader.pump(milliseconds(10));
            if (const auto frame = reader.receive().value()) read = frame->body.size();
        }
    });
    FrameChannel writer(ends.files[0], ends.files[0]);
    writer.send(FrameType::Document, std::string(3'000'000, 'x'));
    const Status flushed = writer.flush(std::chrono::seconds(20));
    slow.join();
    EXPECT_TRUE(flushed) << flushed.error().message;
    EXPECT_EQ(writer.unsentBytes(), 0U);
    EXPECT_EQ(read, 3'000'000U);
}

TEST(FrameChannelTest, IsFlushedNoFurtherWhereTheOtherSideIsGoneOrTakesNothing) {
    Ends ends;
    FrameChannel writer(ends.files[0], ends.files[0]);
    writer.send(FrameType::Document, std::string(3'000'000, 'x'));
    const Status stuck = writer.flush(milliseconds(100));
    ASSERT_FALSE(stuck);
    EXPECT_THAT(stuck.error().message, HasSubstr("takes nothing"));
    ::close(std::exchange(ends.files[1], -1));
    const Status gone = writer.flush(std::chrono::seconds(20));
    ASSERT_FALSE(gone);
    EXPECT_THAT(gone.error().message, HasSubstr("the other end is gone"));
}

TEST(FrameChannelTest, SilenceIsMeasuredAndItsEndIsNoticed) {
    Ends ends;
    FrameChannel channel(ends.files[0], ends.files[0]);
    channel.pump(milliseconds(600));
    const auto silent = channel.silence();
    EXPECT_GE(silent, milliseconds(500));
    ASSERT_EQ(::write(ends.files[1], "DASGD", 5), 5);
    channel.pump(milliseconds(1000));
    EXPECT_LT(channel.silence(), silent);
    EXPECT_EQ(channel.firstBytes(), "DASGD");
    ::close(std::exchange(ends.files[1], -1));
    channel.send(FrameType::Alive);
    channel.pump(milliseconds(1000));
    EXPECT_TRUE(channel.closed());
}

TEST(FrameChannelTest, ADescriptorIsLeftAsItWas) {
    Ends ends;
    const int before = ::fcntl(ends.files[0], F_GETFL);
    {
        const FrameChannel channel(ends.files[0], ends.files[0]);
        EXPECT_NE(::fcntl(ends.files[0], F_GETFL), before);
    }
    EXPECT_EQ(::fcntl(ends.files[0], F_GETFL), before);
}

}  // namespace
}  // namespace dasgd::experiments
