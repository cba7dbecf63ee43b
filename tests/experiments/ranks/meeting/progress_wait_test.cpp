#include "experiments/ranks/meeting/progress_wait.h"

#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "tests/support/temp_dir.h"

namespace dasgd::experiments {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

constexpr milliseconds kTimeout{1000};

class ProgressWaitTest : public ::testing::Test {
protected:
    [[nodiscard]] Rendezvous store() const { return Rendezvous::file(dir_ / "store", 3, milliseconds(10'000)).value(); }
    test::TempDir dir_;
};

// Rank 1 sends for three times as long as nothing may move; rank 2 hears of it from rank 0 alone.
TEST_F(ProgressWaitTest, GoesOnAsLongAsFilesMove) {
    std::jthread sender([&] {
        Rendezvous own = store();
        std::this_thread::sleep_for(3 * kTimeout);
        EXPECT_TRUE(own.set("one", "sent"));
    });
    std::jthread other([&] {
        Rendezvous own = store();
        const auto said = ProgressWait(own, "matter", 2, kTimeout, {}).get("all");
        EXPECT_EQ(said.value_or("nothing"), "all sent");
    });
    Rendezvous own = store();
    std::int64_t bytes = 0;
    const auto said = ProgressWait(own, "matter", 0, kTimeout, [&bytes] { return ++bytes; }).get("one");
    EXPECT_EQ(said.value_or("nothing"), "sent");
    EXPECT_TRUE(own.set("all", "all sent"));
}

TEST_F(ProgressWaitTest, GivesUpWhereNothingMoves) {
    Rendezvous own = store();
    for (const int rank : {0, 1}) {
        ProgressWait wait(own, "matter", rank, milliseconds(100), [] { return std::int64_t{7}; });
        EXPECT_THAT(wait.get("one").error().message, HasSubstr("'one' did not come, and nothing moved for 100 ms"));
    }
}

}  // namespace
}  // namespace dasgd::experiments
