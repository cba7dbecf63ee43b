// Every trial of an algorithm still takes the way that it took when tests/golden/<trial>.json was written: a bowl a
// worker, the weights of every rank after every step. A trial that repeats in simulated time alone is recorded there,
// with the instants at which its steps end; of an algorithm that models time only there are the instants alone. The
// file says with which fields it was written. `core_algorithms_test --write-goldens` writes the files that are missing,
// with the trial's fields; one that is to change is deleted first.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/algorithm_trials.h"
#include "tests/support/paths.h"
#include "tests/support/sim/virtual_cluster.h"

namespace dasgd::test {
namespace {

namespace fs = std::filesystem;

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

nlohmann::json jsonOf(const Value& value) {
    if (const auto* whole = value.as<std::int64_t>()) return *whole;
    if (const auto* real = value.as<double>()) return *real;
    if (const auto* truth = value.as<bool>()) return *truth;
    if (const auto* words = value.as<std::string>()) return *words;
    nlohmann::json all = nlohmann::json::array();
    for (const Value& item : *value.as<Value::Array>()) all.push_back(jsonOf(item));
    return all;
}
Value valueOf(const nlohmann::json& json) {
    if (json.is_boolean()) return Value(json.get<bool>());
    if (json.is_number_integer()) return Value(json.get<std::int64_t>());
    if (json.is_number()) return Value(json.get<double>());
    if (json.is_string()) return Value(json.get<std::string>());
    Value::Array all;
    for (const nlohmann::json& item : json) all.push_back(valueOf(item));
    return Value(std::move(all));
}

nlohmann::json jsonOf(const Fields& fields) {
    nlohmann::json all = nlohmann::json::object();
    for (const auto& [name, value] : fields) all[name] = jsonOf(value);
    return all;
}

// `written` says the settings.
nlohmann::json trajectoryOf(const AlgorithmTrial& trial, const nlohmann::json& written) {
    const auto tableOf = [&](const char* part) {
        Value all = table({});
        if (!written.contains(part)) return all;
        for (const auto& [name, value] : written[part].items()) all.set(name, valueOf(value));
        return all;
    };
    Value algorithm = tableOf("fields");
    algorithm.set("name", text(trial.algorithm));
    const auto recordsOf = [&](Value document, bool virtually) {
        document.set("algorithm", algorithm);
        if (written.contains("compression")) document.set("compression", tableOf("compression"));
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
    const fs::path file = fs::path(kSourceDir) / "tests" / "golden" / (GetParam().name() + ".json");
    const bool isThere = fs::exists(file);
    nlohmann::json recorded = nlohmann::json::object();
    if (isThere) {
        std::ifstream stream(file);
        recorded = nlohmann::json::parse(stream);
    } else {
        recorded["fields"] = jsonOf(GetParam().fields);
        if (!GetParam().compression.empty()) recorded["compression"] = jsonOf(GetParam().compression);
    }
    nlohmann::json present = trajectoryOf(GetParam(), recorded);
    present["algorithm"] = GetParam().algorithm;
    for (const char* part : {"fields", "compression"}) {
        if (recorded.contains(part)) present[part] = recorded[part];
    }
    if (!isThere && std::getenv("DASGD_WRITE_GOLDENS")) {
        std::ofstream(file) << present.dump(1) << "\n";
        return;
    }
    ASSERT_TRUE(isThere) << file << " is missing: `core_algorithms_test --write-goldens` writes it";
    EXPECT_EQ(present, recorded) << "to the last bit: numbers are written with as many digits as it takes";
}

INSTANTIATE_TEST_SUITE_P(Registry, Golden, ::testing::ValuesIn(AlgorithmTrial::list()), trialName);

}  // namespace
}  // namespace dasgd::test
