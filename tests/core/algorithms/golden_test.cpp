// Every trial of an algorithm still takes the way that it took when tests/golden/<trial>.json was written: a bowl a
// worker, the weights of every rank after every step. A trial that repeats in simulated time alone is recorded there,
// with the instants at which its steps end; of an algorithm that models time only there are the instants alone. The
// file says with which fields it was written. `core_algorithms_test --write-goldens` writes the files that are missing,
// with the trial's fields; one that is to change is deleted first.
#include <gtest/gtest.h>

#include "tests/support/algorithm_trials.h"
#include "tests/support/golden_files.h"
#include "tests/support/sim/virtual_cluster.h"

namespace dasgd::test {
namespace {

constexpr int kWorkers = 3;

// weights[rank][step] = {w0, w1}.
nlohmann::json weightsOf(const std::vector<RankRecord>& records) {
    nlohmann::json all = nlohmann::json::array();
    for (const RankRecord& record : records) {
        EXPECT_EQ(record.outcome.error, "");
        const auto& first = record.sink.metrics.at("weight/0");
        const auto& second = record.sink.metrics.at("weight/1");
        nlohmann::json ranks = nlohmann::json::array();
        for (std::size_t k = 0; k < first.size(); ++k) ranks.push_back({first[k].value, second[k].value});
        all.push_back(std::move(ranks));
    }
    return all;
}

// ends[rank][step], in simulated nanoseconds.
nlohmann::json endsOf(const std::vector<RankRecord>& records) {
    nlohmann::json all = nlohmann::json::array();
    for (const RankRecord& record : records) {
        EXPECT_EQ(record.outcome.error, "");
        nlohmann::json ends = nlohmann::json::array();
        for (const Span& span : record.sink.spans) {
            if (span.kind == SpanKind::Update) ends.push_back(span.end);
        }
        all.push_back(std::move(ends));
    }
    return all;
}

Value timeOnly() {
    return table({{"model", table({{"name", text("lenet")}})},
                  {"data", table({{"name", text("mnist")}})},
                  {"train", table({{"steps", integer(8)}, {"batch_size", integer(8)}})},
                  {"cluster", table({{"backend", text("virtual")}, {"workers", integer(kWorkers)}})},
                  {"network", gigabit()},
                  {"compute", table({{"mode", text("time-only")}, {"step_time", text("3ms")}})}});
}
// Ranks of which none finishes its steps together with another.
Value uneven() {
    Value document = quadratic("independent", kWorkers, "virtual");
    document.set("network", gigabit());
    document.set("compute", table({{"step_time", text("3ms")}, {"rank_factors", vector({1, 1.7, 1.23})}}));
    return document;
}

// `written` says the settings.
nlohmann::json trajectoryOf(const AlgorithmTrial& trial, const nlohmann::json& written) {
    Value algorithm = tableOf(written, "fields");
    algorithm.set("name", text(trial.algorithm));
    const auto recordsOf = [&](Value document, bool virtually) {
        document.set("algorithm", algorithm);
        if (written.contains("compression")) document.set("compression", tableOf(written, "compression"));
        return virtually ? trainVirtually(document) : train(document);
    };
    if (trial.isTimeOnly()) return {{"step_end_ns", endsOf(recordsOf(timeOnly(), true))}};
    const int workers = trial.acceptedRanks(kWorkers);
    if (trial.repeats) return {{"weights", weightsOf(recordsOf(quadratic("independent", workers, "threads"), false))}};
    const auto records = recordsOf(uneven(), true);
    return {{"weights", weightsOf(records)}, {"step_end_ns", endsOf(records)}};
}

class Golden : public ::testing::TestWithParam<AlgorithmTrial> {};

TEST_P(Golden, TrajectoryIsTheRecordedOne) {
    nlohmann::json settings{{"algorithm", GetParam().algorithm}, {"fields", jsonOf(GetParam().fields)}};
    if (!GetParam().compression.empty()) settings["compression"] = jsonOf(GetParam().compression);
    expectGolden(GetParam().name(), settings,
                 [](const nlohmann::json& written) { return trajectoryOf(GetParam(), written); });
}

INSTANTIATE_TEST_SUITE_P(Registry, Golden, ::testing::ValuesIn(AlgorithmTrial::list()), trialName);

}  // namespace
}  // namespace dasgd::test
