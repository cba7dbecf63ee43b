// Every algorithm whose exchanges can be compressed takes the same way on threads, over Gloo and in simulated time, and
// ends with the same bits after a stop.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/algorithm_trials.h"
#include "tests/support/compression_oracle.h"
#include "tests/support/resumed_runs.h"

namespace dasgd::test {
namespace {

struct CompressedCase {
    AlgorithmTrial trial;
    std::string what;
    Fields compression;
    double tolerance = 0;  // over another backend: sums of ranks' numbers are in another order there
};

std::vector<AlgorithmTrial> trialsThatCompress() {
    return trialsThat([](const AlgorithmTrial& trial) {
        const auto made = trial.make();
        return trial.what.empty() && dynamic_cast<const CompressesExchanges*>(made.get()) != nullptr &&
               dynamic_cast<const MixesOverGraph*>(made.get()) == nullptr;
    });
}

// Every algorithm with both schemes of messages; some with each operator, those with schemes of their own among them.
std::vector<CompressedCase> compressedCases() {
    std::vector<CompressedCase> cases;
    for (const AlgorithmTrial& trial : trialsThatCompress()) {
        for (const std::string scheme : {"gather", "shard"}) {
            // They have to know what was sent of their own.
            if (scheme == "shard" && (trial.algorithm == "easgd" || trial.algorithm == "eager_diloco")) continue;
            // Its first steps add gradients up, uncoded.
            const double tolerance = trial.algorithm == "post_local_sgd" ? 1e-12 : 0;
            cases.push_back({trial, scheme, {{"name", text("sign")}, {"scheme", text(scheme)}}, tolerance});
        }
        if (trial.algorithm != "sync_sgd" && trial.algorithm != "dasgd" && trial.algorithm != "streaming_diloco")
            continue;
        if (trial.algorithm == "sync_sgd") {
            cases.push_back({trial,
                             "fetch_sgd",
                             {{"name", text("sketch")},
                              {"error", text("sketch")},
                              {"momentum", number(0.9)},
                              {"ratio", number(0.3)},
                              {"columns", integer(64)}},
                             1e-9});
        }
        for (const std::string& name : CompressorRegistry::names()) {
            if (name == "sign" || (name == "dgc" && trial.algorithm != "sync_sgd")) continue;
            if (name == "lattice") continue;  // of pairs
            Fields fields{{"name", text(name)}};
            if (name == "powersgd") fields.emplace_back("view", text("square"));
            for (const FieldInfo& field : CompressorRegistry::find(name)->fields) {
                if (field.name == "ratio") fields.emplace_back("ratio", number(0.3));
                if (field.name == "columns") fields.emplace_back("columns", integer(64));
            }
            const bool sums = name == "powersgd" || name == "sketch" || name == "randk";
            cases.push_back({trial, name, std::move(fields), sums ? 1e-9 : 0});
        }
    }
    return cases;
}

Value codedDocument(Value document, const CompressedCase& setting) {
    const AlgorithmTrial& trial = setting.trial;
    Value algorithm = trial.table();
    // Weights that leave whole are not coded.
    if (trial.algorithm == "co2") algorithm.set("from_present", Value(false));
    // It codes gradients alone.
    if (trial.algorithm == "selsync") algorithm.set("aggregate", text("gradients"));
    if (algorithm.find("optimizer_state")) algorithm.set("optimizer_state", text("keep"));
    document.set("algorithm", std::move(algorithm));
    return compressed(std::move(document), setting.compression);
}

class CompressedRuns : public testing::TestWithParam<CompressedCase> {
protected:
    [[nodiscard]] static Value bowl() {
        return codedDocument(QuadraticProblem{.workers = 4, .steps = 40, .rate = 0.02}.experiment({}), GetParam());
    }
};

TEST_P(CompressedRuns, HaveTheSameBitsOverGlooAsOnThreads) {
    const Trajectory threads = recorded(train(bowl()));
    EXPECT_NE(threads.front(), threads.back()) << "it trains";
    expectSame(recorded(train(bowl(), Backend::Gloo)), threads, GetParam().tolerance);
}

TEST_P(CompressedRuns, EndWithTheSameBitsAfterStops) {
    const Value document =
        codedDocument(resumedExperiment(table({}), TrainedOn::Threads, droppingMlp(), momentum()), GetParam());
    expectSameModelAfterStops(TrainedOn::Threads, document, {5, 6, 14});
}

TEST_P(CompressedRuns, EndWithTheSameBitsInSimulatedTime) {
    const TempDir dir;
    const auto model = [&](TrainedOn on) {
        const Value document = codedDocument(resumedExperiment(table({}), on, droppingMlp(), momentum()), GetParam());
        trainOn(on, document, checkpointsIn(dir / nameOf(on)));
        return bytesOf(dir / nameOf(on) / "model.safetensors");
    };
    const std::string simulated = model(TrainedOn::Virtual);
    EXPECT_FALSE(simulated.empty());
    EXPECT_EQ(simulated, model(TrainedOn::Threads));
}

INSTANTIATE_TEST_SUITE_P(Registry, CompressedRuns, testing::ValuesIn(compressedCases()),
                         [](const auto& info) { return info.param.trial.name() + "_" + info.param.what; });

}  // namespace
}  // namespace dasgd::test
