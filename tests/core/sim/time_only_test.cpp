// Where time alone is simulated an algorithm sends as much, and takes as long, as where it trains.
#include <gmock/gmock.h>

#include "tests/support/apart.h"
#include "tests/support/sim/virtual_cluster.h"

namespace dasgd::test {
namespace {

Value threeLayers(const std::string& algorithm, const std::string& mode) {
    return table(
        {{"algorithm", table({{"name", text(algorithm)}})},
         {"model", table({{"name", text("mlp")}, {"hidden", array<std::int64_t>({16, 16})}})},
         {"data", table({{"name", text("synthetic")},
                         {"shape", array<std::int64_t>({8})},
                         {"train_samples", integer(72)},
                         {"test_samples", integer(8)}})},
         {"train", table({{"steps", integer(18)}, {"batch_size", integer(4)}, {"eval_every", integer(1'000'000)}})},
         {"cluster", table({{"backend", text("virtual")}, {"workers", integer(3)}})},
         {"network", gigabit()},
         {"compute", table({{"mode", text(mode)}, {"step_time", text("100us")}})}});
}

// Instants and bytes of all spans of all ranks, and what was sent in all.
std::vector<double> timesOf(const Value& document) {
    return apart([&] {
        std::vector<double> numbers;
        for (const RankRecord& record : trainVirtually(document)) {
            EXPECT_EQ(record.outcome.error, "");
            for (const Span& span : record.sink.spans) {
                if (span.kind == SpanKind::Eval || span.kind == SpanKind::Window) continue;
                for (const Ns number : {static_cast<Ns>(span.kind), span.step, span.start, span.end, span.bytes}) {
                    numbers.push_back(static_cast<double>(number));
                }
            }
            const auto& metrics = record.sink.metrics;
            const auto& last = metrics.contains("train/loss") ? metrics.at("train/loss") : metrics.at("train/step_ms");
            numbers.push_back(static_cast<double>(last.back().bytesSent));
        }
        return numbers;
    });
}

class EveryAlgorithmInTime : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryAlgorithmInTime, TakesAndSendsWhatItDoesWhereItTrains) {
    const std::vector<double> inTime = timesOf(threeLayers(GetParam(), "time-only"));
    EXPECT_GT(inTime.size(), 3U * 18 * 3 * 5);
    EXPECT_EQ(inTime, timesOf(threeLayers(GetParam(), "maths")));
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryAlgorithmInTime, ::testing::ValuesIn(algorithmsThatTrain()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace dasgd::test
