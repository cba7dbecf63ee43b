// Every algorithm still takes the way that it took when tests/golden/<name>.json was recorded: a bowl a worker, the
// weights of every rank after every step; of an algorithm that models time only, when each step ends on a virtual
// cluster. Fields have their defaults, but for those that the file names under "fields". With
// DASGD_RECORD_GOLDEN=FOLDER the files are written instead of compared.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/paths.h"
#include "tests/support/sim/virtual_cluster.h"

namespace dasgd::test {
namespace {

namespace fs = std::filesystem;

constexpr int kWorkers = 3;

std::vector<std::string> allAlgorithms() {
    std::vector<std::string> names;
    for (const auto& [name, entry] : AlgorithmRegistry::entries()) names.push_back(name);
    return names;
}

bool trains(const std::string& algorithm) {
    const auto names = algorithmsThatTrain();
    return std::find(names.begin(), names.end(), algorithm) != names.end();
}

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

Value timeOnly(const std::string& algorithm) {
    return table({{"algorithm", table({{"name", text(algorithm)}})},
                  {"model", table({{"name", text("lenet")}})},
                  {"data", table({{"name", text("mnist")}})},
                  {"train", table({{"steps", integer(8)}, {"batch_size", integer(8)}})},
                  {"cluster", table({{"backend", text("virtual")}, {"workers", integer(kWorkers)}})},
                  {"network", gigabit()},
                  {"compute", table({{"mode", text("time-only")}, {"step_time", text("3ms")}})}});
}

// `fields`: integers by name.
nlohmann::json trajectoryOf(const std::string& algorithm, const nlohmann::json& fields) {
    if (!trains(algorithm)) return {{"step_end_ns", endsOf(trainVirtually(timeOnly(algorithm)))}};
    Value document = quadratic(algorithm, kWorkers, "threads");
    for (const auto& [name, value] : fields.items()) {
        document.find("algorithm")->set(name, integer(value.get<std::int64_t>()));
    }
    return {{"weights", weightsOf(train(document))}};
}

nlohmann::json recordedOf(const std::string& file) {
    std::ifstream stream(fs::path(kSourceDir) / "tests" / "golden" / file);
    return stream ? nlohmann::json::parse(stream) : nlohmann::json::object();
}

class Golden : public ::testing::TestWithParam<std::string> {};

TEST_P(Golden, TrajectoryIsTheRecordedOne) {
    const std::string name = GetParam() + ".json";
    const nlohmann::json recorded = recordedOf(name);
    const nlohmann::json fields = recorded.value("fields", nlohmann::json::object());
    nlohmann::json present = trajectoryOf(GetParam(), fields);
    present["algorithm"] = GetParam();
    if (!fields.empty()) present["fields"] = fields;
    if (const char* folder = std::getenv("DASGD_RECORD_GOLDEN")) {
        std::ofstream(fs::path(folder) / name) << present.dump(1) << "\n";
        return;
    }
    ASSERT_FALSE(recorded.empty()) << "tests/golden/" << name << " is missing: record it with DASGD_RECORD_GOLDEN";
    EXPECT_EQ(present, recorded) << "to the last bit: numbers are written with as many digits as it takes";
}

INSTANTIATE_TEST_SUITE_P(Registry, Golden, ::testing::ValuesIn(allAlgorithms()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace dasgd::test
