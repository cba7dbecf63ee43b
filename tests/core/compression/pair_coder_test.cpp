// Pairs of ranks that are threads: what an exchange keeps, and where it fails.
#include "core/compression/pair_coder.h"

#include <gmock/gmock.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include <cmath>
#include <functional>

#include "core/exec/cpu_executor.h"
#include "tests/support/document.h"
#include "tests/support/ranks.h"
#include "tests/support/training.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kPairNumbers = 37;

std::shared_ptr<const CompressionSettings> latticeSettings(double side, std::int64_t levels = 256) {
    return std::make_shared<const CompressionSettings>(
        CompressionSettings{.name = "lattice",
                            .compressor = CompressorRegistry::find("lattice")
                                              ->create(table({{"side", number(side)}, {"levels", integer(levels)}}), {})
                                              .value()});
}

// What a rank recorded, by metric.
using Recorded = std::map<std::string, std::vector<double>>;

// Calls `body` on both of two ranks with 37 weights in float32, at step 40.
void withPair(const std::function<void(StepContext&, const Recorded&)>& body) {
    runRanks(Backend::Threads, 2, [&](Communicator& comm, Clock& clock) {
        torch::nn::Linear layer(torch::nn::LinearOptions(kPairNumbers, 1).bias(false));
        FlatParams params(*layer, torch::kFloat32);
        MemorySink sink;
        CpuExecutor executor(clock, sink, TraceLevel::Off);
        Recorded recorded;
        StepContext context(comm, clock, params, executor, 1, {.metric = [&](std::string_view name, double value) {
                                recorded[std::string(name)].push_back(value);
                            }});
        context.moveTo(40, 0.1);
        const at::NoGradGuard guard;
        const double rank = comm.rank().value();
        params.weights().copy_(torch::sin(torch::arange(kPairNumbers) * 0.7 + rank) + 3 + 0.2 * rank);
        body(context, recorded);
    });
}

// Both ranks move to each other by half of what they know of their difference.
void exchangeOnce(StepContext& context, PairCoder& coder) {
    const Rank partner(1 - context.comm().rank().value());
    const at::Tensor own = coder.makeMessage(), theirs = coder.makeMessage();
    coder.encode(context.params().weights(), own);
    for (Pending& pending : context.comm().exchange({{.sends = true, .peer = partner, .tag = 0, .tensor = own},
                                                     {.sends = false, .peer = partner, .tag = 0, .tensor = theirs}})) {
        pending.wait();
    }
    coder.approach(theirs, context.params().weights(), 0.5, context.params().weights());
}

at::Tensor ofBoth(StepContext& context) {
    at::Tensor all = at::empty({2, kPairNumbers});
    context.comm().allGather(context.params().weights(), all).wait();
    return all;
}

TEST(PairCoder, KeepsTheSumOfAPairWhateverItsSide) {
    for (const double side : {0.5, 0.02, 0.0191}) {
        withPair([&](StepContext& context, const Recorded& recorded) {
            const at::Tensor before = ofBoth(context).to(at::kDouble);
            PairCoder coder(latticeSettings(side), context);
            exchangeOnce(context, coder);
            const at::Tensor after = ofBoth(context).to(at::kDouble);
            // Numbers of 4 have steps of 4.8e-7 in float32, of which each of two additions makes half a one.
            EXPECT_LE((after.sum(0) - before.sum(0)).abs().max().item<double>(), 4.8e-7);
            EXPECT_LE((after[0] - after[1]).abs().max().item<double>(), side + 1e-6) << "they end up a side apart";
            EXPECT_GT((before[0] - before[1]).abs().max().item<double>(), 0.9);
            const double furthest = (before[0] - before[1]).abs().max().item<double>();
            EXPECT_NEAR(recorded.at("algorithm/partner_distance").at(0), furthest, side / 2 + 1e-6);
        });
    }
}

// What a rank that is too far from its partner says.
std::string failureAt(double side, std::int64_t levels) {
    std::string said;
    withPair([&](StepContext& context, const Recorded&) {
        PairCoder coder(latticeSettings(side, levels), context);
        try {
            exchangeOnce(context, coder);
        } catch (const std::runtime_error& error) {
            if (context.comm().rank() == Rank{1}) said = error.what();
        }
    });
    return said;
}

// They are 0.2 + 2·sin(0.5) = 1.16 apart at most, which the phases of 37 numbers come near to.
TEST(PairCoder, FailsByNameWherePartnersAreTooFarApart) {
    EXPECT_EQ(failureAt(0.02, 256), "") << "the reach is 255/4·0.02 = 1.275";
    const std::string said = failureAt(0.01, 256);
    EXPECT_THAT(said, HasSubstr("rank 1 decodes in step 40 a weight of its partner that is 1.1"));
    EXPECT_THAT(said, HasSubstr("from its own, and beyond 0.63"));
    EXPECT_THAT(said, HasSubstr("[compression] lattice may take one weight for another"));
    EXPECT_THAT(said, HasSubstr("set a larger side, or more levels"));
    EXPECT_EQ(failureAt(0.01, 512), "");
}

TEST(PairCoder, FailsByNameWhereAWeightHasNoCode) {
    withPair([](StepContext& context, const Recorded&) {
        PairCoder coder(latticeSettings(0.01), context);
        context.params().weights()[5] = std::nan("");
        try {
            coder.encode(context.params().weights(), coder.makeMessage());
            FAIL() << "it was coded";
        } catch (const std::runtime_error& error) {
            EXPECT_THAT(error.what(), HasSubstr("cannot code its weights in step 40: one of them is NaN"));
            EXPECT_THAT(error.what(), HasSubstr("A smaller learning rate"));
        }
    });
}

TEST(PairCoder, RecordsHowLargeAMessageIs) {
    withPair([](StepContext& context, const Recorded& recorded) {
        PairCoder coder(latticeSettings(0.01, 16), context);
        EXPECT_EQ(coder.messageBytes(), 19) << "37 numbers of 4 bits";
        coder.recordRatio();
        EXPECT_DOUBLE_EQ(recorded.at("compression/ratio").at(0), 19.0 / (4 * kPairNumbers));
    });
}

TEST(PairSettings, HaveNoFieldsThatAreOfMeans) {
    const auto refusal = [](const CompressionParams& params) {
        CompressionSettings settings = *latticeSettings(0.01);
        settings.params = params;
        const auto refused = checkPairSettings(settings);
        return refused ? refused->field + ": " + refused->message : "";
    };
    EXPECT_EQ(refusal({}), "");
    EXPECT_THAT(refusal({.errorFeedback = true}), HasSubstr("error_feedback: what coding leaves out"));
    EXPECT_THAT(refusal({.rescaleError = true}), HasSubstr("rescale_error: "));
    EXPECT_THAT(refusal({.scheme = "gather"}), HasSubstr("remove scheme"));
    EXPECT_THAT(refusal({.start = 3}), HasSubstr("remove start"));
    EXPECT_THAT(refusal({.scope = "model"}), HasSubstr("remove scope"));
}

}  // namespace
}  // namespace dasgd::test
