#include "experiments/transport/files/file_intake.h"

#include <gmock/gmock.h>

#include <future>
#include <thread>

#include "experiments/transport/curve/curve_client.h"
#include "experiments/transport/curve/curve_server.h"
#include "tests/support/file_post.h"

namespace dasgd::experiments {
namespace {

using ::testing::ElementsAre;

constexpr const char* kLog = "logs/rank-1.log";

// Requests as they come, those too that no FileClient sends.
class FileIntakeTest : public test::FilePost {
protected:
    void SetUp() override { connect(); }
    void connect(std::function<Status(const std::string&)> answer = {}) {
        serve(std::move(answer));
        asker_.emplace(server_->endpoint(), secret_);
    }
    // Kind of the answer to a request.
    char ask(const Parts& request) {
        const auto answer = asker_->ask(request, std::chrono::seconds(10));
        return answer ? answer->front().front() : '?';
    }
    // Asks for the end of a part until it is done or wrong; answers which.
    char end(const std::string& size, const std::string& name = kLog, const std::string& rank = "1") {
        while (true) {
            const char kind = ask({"E", rank, name, size});
            if (kind != kNotYet) return kind;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }

    std::optional<CurveClient> asker_;
};

TEST_F(FileIntakeTest, ARequestThatComesTwiceDoesTheSame) {
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

TEST_F(FileIntakeTest, APartThatIsMissingIsNoticed) {
    EXPECT_EQ(ask({"P", "1", kLog, "3", "def"}), kRefused) << "nothing has begun";
    EXPECT_EQ(ask({"P", "1", kLog, "0", "abc"}), kYes);
    EXPECT_EQ(ask({"P", "1", kLog, "5", "xyz"}), kRefused);
    EXPECT_EQ(end("8"), kRefused);
    EXPECT_EQ(ask({"E", "2", "logs/rank-2.log", "0"}), kRefused);
    EXPECT_TRUE(arrived().empty());
    EXPECT_FALSE(std::filesystem::exists(dir_ / "run" / kLog));
}

std::string partOf(int step, int rank) {
    return "checkpoints/step-" + std::to_string(step) + ".partial/rank-000" + std::to_string(rank) + ".safetensors";
}

// Bringing it to the disk, or completing the checkpoint, may take long.
TEST_F(FileIntakeTest, APartThatIsEndingHoldsUpNobody) {
    std::promise<void> disk;
    const std::shared_future<void> ready = disk.get_future().share();
    connect([ready](const std::string& name) -> Status {
        if (name == partOf(20, 1)) ready.wait();
        return {};
    });
    EXPECT_EQ(ask({"P", "1", partOf(20, 1), "0", "abc"}), kYes);
    EXPECT_EQ(ask({"E", "1", partOf(20, 1), "3"}), kNotYet);
    EXPECT_EQ(ask({"P", "1", partOf(20, 1), "0", "new"}), kNotYet) << "as it comes again";
    EXPECT_EQ(ask({"P", "1", partOf(30, 1), "0", "def"}), kYes) << "the next one";
    EXPECT_EQ(ask({"P", "2", partOf(20, 2), "0", "ghi"}), kYes);
    EXPECT_EQ(end("3", partOf(20, 2), "2"), kYes);
    EXPECT_EQ(end("3", partOf(30, 1)), kYes);
    disk.set_value();
    intake_->close();
    EXPECT_EQ(there(partOf(20, 1)), "abc");
    EXPECT_EQ(there(partOf(30, 1)), "def");
}

TEST_F(FileIntakeTest, WhatNeverCameWholeLeavesNothing) {
    EXPECT_EQ(ask({"P", "1", kLog, "0", "abc"}), kYes);
    EXPECT_EQ(ask({"P", "1", partOf(20, 1), "0", "abc"}), kYes);
    EXPECT_EQ(ask({"P", "1", partOf(30, 1), "0", "abc"}), kYes);
    const std::int64_t moved = intake_->moved();
    EXPECT_GT(moved, 0);
    EXPECT_EQ(ask({"P", "1", partOf(30, 2), "0", "abc"}), kRefused);
    EXPECT_EQ(intake_->moved(), moved);
    intake_->close();
    EXPECT_EQ(ask({"P", "1", kLog, "0", "abc"}), kRefused) << "the run has ended";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(dir_ / "run")) {
        EXPECT_TRUE(entry.is_directory()) << entry.path();
    }
}

TEST_F(FileIntakeTest, ARunThatWasRemovedDoesNotComeBack) {
    EXPECT_EQ(ask({"P", "1", partOf(20, 1), "0", "abc"}), kYes);
    std::filesystem::remove_all(dir_ / "run");
    EXPECT_EQ(ask({"P", "1", partOf(30, 1), "0", "abc"}), kRefused);
    EXPECT_EQ(ask({"P", "1", kLog, "0", "abc"}), kRefused);
    EXPECT_FALSE(std::filesystem::exists(dir_ / "run"));
}

TEST_F(FileIntakeTest, WhatIsNoRequestIsRefusedAndDoesNoHarm) {
    const std::string text(1000, 'x');
    for (const Parts& request : {Parts{"P"}, Parts{"P", "1", kLog, "0"}, Parts{"P", "1", kLog, "-1", text},
                                 Parts{"P", "1", kLog, "9999999999999999999", text}, Parts{"P", "one", kLog, "0", text},
                                 Parts{"P", "1", "/etc/passwd", "0", text}, Parts{"P", "-1", kLog, "0", text},
                                 Parts{"G", "state.json", "-5"}, Parts{"G", "../../e", "0"}, Parts{"Z", "1", kLog, "0"},
                                 Parts{"", "1", kLog, "0"}, Parts{text, text, text, text, text, text}}) {
        EXPECT_EQ(ask(request), kRefused) << request.front();
    }
    EXPECT_EQ(ask({"P", "1", kLog, "0", "abc"}), kYes);
}

}  // namespace
}  // namespace dasgd::experiments
