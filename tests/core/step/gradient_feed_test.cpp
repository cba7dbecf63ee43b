#include "core/step/gradient_feed.h"

#include <gmock/gmock.h>
#include <torch/nn.h>
#include <torch/types.h>

#include "tests/support/training.h"

namespace dasgd {
namespace {

using ::testing::ElementsAre;

TEST(GradientFeed, TellsOfEachGradientOnceFromTheLastLayerOn) {
    torch::nn::Sequential net(torch::nn::Linear(2, 3), torch::nn::ReLU(), torch::nn::Linear(3, 1));
    FlatParams params(*net, torch::kFloat64);
    GradientFeed feed(params, nullptr);
    std::vector<std::size_t> order;
    feed.listen([&](std::size_t slot) { order.push_back(slot); });
    for (int pass = 0; pass < 2; ++pass) {
        order.clear();
        net->forward(torch::ones({4, 2}, torch::kFloat64)).sum().backward();
        ASSERT_EQ(order.size(), 4U);
        // Weight and bias of a layer come in an order of autograd's own.
        EXPECT_GE(std::min(order[0], order[1]), 2U);
        EXPECT_LE(std::max(order[2], order[3]), 1U);
    }
}

// Executor that records its calls.
class Notes final : public Executor {
public:
    Notes() : Executor(clock_, sink_, TraceLevel::Off) {}
    void gradientReady(std::size_t slot) override { slots.push_back(slot); }
    void layerDone(SpanKind pass, std::size_t slot) override { layers.emplace_back(pass, slot); }
    void setBatchShare(double, bool) override {}
    void setUntimed(bool) override {}
    std::vector<std::size_t> slots;
    std::vector<std::pair<SpanKind, std::size_t>> layers;

private:
    void finished(const Work&) override {}
    void abandoned() noexcept override {}
    MonotonicClock clock_;
    test::MemorySink sink_;
};

TEST(GradientFeed, MovesTimeOnBeforeTheListenerHears) {
    FlatParams shapes = FlatParams::shapesOf({{4}, {2}}, {}, torch::kFloat);
    Notes executor;
    GradientFeed feed(shapes, &executor);
    EXPECT_FALSE(feed.hasListener());
    feed.listen([&](std::size_t slot) { EXPECT_EQ(executor.slots.back(), slot); });
    EXPECT_TRUE(feed.hasListener());
    feed.ready(1);
    feed.ready(0);
    EXPECT_THAT(executor.slots, ElementsAre(1, 0));
}

TEST(GradientFeed, TellsNobodyOfGradientsThatAreHeldBack) {
    FlatParams shapes = FlatParams::shapesOf({{4}}, {}, torch::kFloat);
    Notes executor;
    GradientFeed feed(shapes, &executor);
    int heard = 0;
    feed.listen([&](std::size_t) { ++heard; });
    feed.holdBack(true);
    feed.ready(0);
    EXPECT_EQ(heard, 0);
    EXPECT_TRUE(executor.slots.empty());
    feed.holdBack(false);
    feed.ready(0);
    EXPECT_EQ(heard, 1);
    EXPECT_EQ(executor.slots.size(), 1U);
}

TEST(GradientFeed, TellsOfALayerBeforeItsForwardAndAfterItsBackwardPass) {
    FlatParams shapes = FlatParams::shapesOf({{4}, {2}}, {}, torch::kFloat);
    Notes executor;
    GradientFeed feed(shapes, &executor);
    std::vector<std::size_t> told;  // how many layers were done when the listener heard
    const auto note = [&](std::size_t) { told.push_back(executor.layers.size()); };
    EXPECT_FALSE(feed.hasLayerListener());
    feed.listenToLayers({note, note});
    EXPECT_TRUE(feed.hasLayerListener());
    feed.forward(1);
    feed.backward(0);
    EXPECT_THAT(told, ElementsAre(0, 2));
    EXPECT_THAT(executor.layers, ElementsAre(std::pair(SpanKind::Forward, 1U), std::pair(SpanKind::Backward, 0U)));
}

}  // namespace
}  // namespace dasgd
