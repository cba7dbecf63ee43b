#include "core/train/steps/loss_queue.h"

#include <gmock/gmock.h>

#include <optional>
#include <vector>

namespace dasgd {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// A device's number: there once it is told so, or once somebody waits for it.
struct FakeDevice {
    bool done = false;
    int waits = 0;
};

class DeviceValue final : public LaterValue {
public:
    DeviceValue(FakeDevice& device, double value) : device_(device), value_(value) {}
    [[nodiscard]] bool ready() override { return device_.done; }
    [[nodiscard]] double read() override {
        if (!device_.done) ++device_.waits;
        return value_;
    }

private:
    FakeDevice& device_;
    double value_;
};

class LossQueueTest : public ::testing::Test {
protected:
    void push(std::int64_t step, FakeDevice& device) {
        queue_.push({.name = "train/loss", .step = step, .wall = 100 * step},
                    std::make_unique<DeviceValue>(device, 0.5 * static_cast<double>(step)));
    }
    LossQueue::Record record() {
        return [this](const Metric& metric) {
            EXPECT_EQ(metric.wall, 100 * metric.step) << "when the step was made, not when its loss was read";
            seen_.emplace_back(metric.step, metric.value);
        };
    }
    LossQueue queue_;
    std::vector<std::pair<std::int64_t, double>> seen_;
};

TEST_F(LossQueueTest, RecordsAtOnceWhatIsReady) {
    FakeDevice ready{.done = true};
    push(1, ready);
    queue_.readReady(record());
    EXPECT_THAT(seen_, ElementsAre(Pair(1, 0.5)));
    EXPECT_EQ(ready.waits, 0);
}

TEST_F(LossQueueTest, WaitsForNoneBetweenTwoEvaluations) {
    std::vector<FakeDevice> steps(200);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        push(static_cast<std::int64_t>(i + 1), steps[i]);
        if (i >= 50) steps[i - 50].done = true;
        queue_.readReady(record());
        EXPECT_EQ(seen_.size(), i < 50 ? 0 : i - 49) << "as far as the device is";
    }
    for (const FakeDevice& step : steps) EXPECT_EQ(step.waits, 0);
    queue_.readAll(record());
    EXPECT_EQ(seen_.size(), steps.size());
}

TEST_F(LossQueueTest, KeepsTheOrderAndLeavesNothingAtTheEnd) {
    FakeDevice first, second{.done = true};
    push(1, first);
    push(2, second);
    first.done = true;
    queue_.readReady(record());
    EXPECT_THAT(seen_, ElementsAre(Pair(1, 0.5), Pair(2, 1.0)));
    FakeDevice last;
    push(3, last);
    queue_.readAll(record());
    EXPECT_THAT(seen_, ElementsAre(Pair(1, 0.5), Pair(2, 1.0), Pair(3, 1.5)));
}

}  // namespace
}  // namespace dasgd
