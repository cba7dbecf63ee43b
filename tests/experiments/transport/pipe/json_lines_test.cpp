// Lines of JSON over a pipe.
#include "experiments/transport/pipe/json_lines.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "experiments/base/process.h"

namespace dasgd::experiments {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

class JsonLines : public ::testing::Test {
protected:
    JsonLines() {
        ::signal(SIGPIPE, SIG_IGN);
        EXPECT_EQ(::pipe2(ends_, O_CLOEXEC), 0);
        read_ = Descriptor(ends_[0]);
        write_ = Descriptor(ends_[1]);
    }
    void put(const std::string& text) const {
        EXPECT_EQ(::write(write_.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    int ends_[2] = {-1, -1};
    Descriptor read_, write_;
};

TEST_F(JsonLines, ComeWholeHoweverTheyWereWritten) {
    JsonLineReader reader(read_.get());
    put("Welcome to node1\n{\"a\":1}\n{\"b\"");
    EXPECT_TRUE(reader.read(milliseconds(1000)));
    EXPECT_EQ(reader.next().value()["a"], 1);
    EXPECT_FALSE(reader.next());
    EXPECT_EQ(reader.strayLine(), "Welcome to node1");
    put(":2}\n");
    EXPECT_TRUE(reader.read(milliseconds(1000)));
    EXPECT_EQ(reader.next().value()["b"], 2);
    EXPECT_TRUE(reader.read(milliseconds(1))) << "nothing is there and the other end is open";
    write_ = Descriptor();
    EXPECT_FALSE(reader.read(milliseconds(1000)));
    EXPECT_FALSE(reader.read(milliseconds(1000)));
}

TEST_F(JsonLines, AreWrittenOverAPipeThatIsFullMeanwhile) {
    const std::string text(300'000, 'x');
    auto cat = ChildProcess::start({.program = "wc", .arguments = {"-c"}, .input = read_.get()});
    ASSERT_TRUE(cat);
    EXPECT_TRUE(writeJsonLine(write_.get(), {{"text", text}}));
    write_ = Descriptor();
    read_ = Descriptor();
    ASSERT_TRUE(cat->awaitEnd(20'000'000'000));
    EXPECT_EQ(cat->report(), "300012\n") << "{\"text\":\"…\"} and the end of the line";
}

TEST_F(JsonLines, SayThatTheOtherEndIsGone) {
    read_ = Descriptor();
    const Status written = writeJsonLine(write_.get(), {{"a", 1}});
    ASSERT_FALSE(written);
    EXPECT_THAT(written.error().message, HasSubstr("the other end is gone"));
}

TEST_F(JsonLines, OfNoEndEndTheReading) {
    JsonLineReader reader(read_.get());
    const std::string part(1 << 16, 'x');
    std::size_t put = 0;
    ASSERT_EQ(::fcntl(write_.get(), F_SETFL, O_NONBLOCK), 0);
    bool open = true;
    while (open && put < 4 * JsonLineReader::kMostBytes) {
        const ssize_t took = ::write(write_.get(), part.data(), part.size());
        put += static_cast<std::size_t>(std::max<ssize_t>(took, 0));
        open = reader.read(milliseconds(0));
    }
    EXPECT_FALSE(open);
    EXPECT_LT(put, 2 * JsonLineReader::kMostBytes);
}

}  // namespace
}  // namespace dasgd::experiments
