// The forecast of `dasgd advise --json`, on a cluster for which the closed forms say what must come out.
#include "experiments/tools/advise/forecast.h"

#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "core/base/schema/toml_reader.h"
#include "core/cost/step_time.h"
#include "experiments/base/text.h"
#include "experiments/config/document.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/oracle_formulas.h"
#include "tests/support/runs.h"

namespace dasgd::experiments {
namespace {

// T_c = 10 ms; 407,080 bytes as a ring of 4 over 200 Mbit/s: 24.4 ms.
const std::string kAdvisedCluster =
    "name = \"known\"\n[algorithm]\nname = \"dasgd\"\n[model]\nname = \"mlp\"\n[train]\nsteps = 2000\nbatch_size = 8\n"
    "[cluster]\nbackend = \"virtual\"\nworkers = 4\n[network]\nbandwidth = \"200Mbps\"\nlatency = \"0us\"\n"
    "[compute]\nstep_time = \"10ms\"\nmemory_bandwidth = \"1TB/s\"\n";
constexpr double kTransfer = 2 * 407080 * 0.75 * 8 / 200e6;

class ForecastTest : public ::testing::Test {
protected:
    nlohmann::json forecast(const std::vector<std::string>& more = {}) const {
        folder_.write("known.toml", kAdvisedCluster);
        std::vector<std::string> arguments{"advise", "known.toml", "-w", "w", "-q", "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const test::Ended ended = folder_.run(arguments);
        EXPECT_EQ(ended.exit, 0) << ended.err;
        return nlohmann::json::parse(ended.out);
    }
    static const nlohmann::json& row(const nlohmann::json& json, const std::string& settings) {
        for (const auto& one : json["forecast"]) {
            if (one["settings"].get<std::string>().find(settings) != std::string::npos) return one;
        }
        throw std::runtime_error("no row " + settings);
    }
    static void expectClosedForms(const nlohmann::json& json);
    static void expectFormulasOfTheRows(const nlohmann::json& json);
    void expectNoRunOfTheExperiment() const;
    void expectSeries(std::size_t advices) const;
    test::DasgdFolder folder_;
};

void ForecastTest::expectClosedForms(const nlohmann::json& json) {
    EXPECT_NEAR(json["facts"]["reduce_s"].get<double>(), kTransfer, 1e-5);
    EXPECT_EQ(json["advice"]["delay"], 3);
    EXPECT_EQ(json["advice"]["period"], 3);
    const auto& advised = row(json, "period = 3, delay = 3, local_weight = 0.0");
    EXPECT_TRUE(advised["advised"]);
    EXPECT_NEAR(advised["step_ms"].get<double>(), 10, 0.01);
    EXPECT_GE(advised["hidden"].get<double>(), 0.999);
    EXPECT_NEAR(advised["target_s"].get<double>(), 20, 0.02);
    const auto& local = row(json, "local_sgd\", period = 4");
    EXPECT_NEAR(local["step_ms"].get<double>(), 1e3 * test::localSgdStepSeconds(0.040, kTransfer, 4), 0.02);
    const auto& published = row(json, "period = 4, delay = 1, local_weight = 0.25");
    EXPECT_NEAR(published["step_ms"].get<double>(), 1e3 * dasgdStepSeconds(0.010, kTransfer, 4, 1), 0.02);
    EXPECT_NEAR(published["target_s"].get<double>() / published["step_ms"].get<double>(), 2 / 0.8125, 1e-9);
    EXPECT_EQ(json["forecast"].back()["algorithm"], "independent");
    EXPECT_EQ(std::ranges::count(json["forecast"], "sync_sgd", [](const auto& one) { return one["algorithm"]; }), 1);
    // A split layer sends less than its gradients, and its messages hide behind the next forward pass too.
    const double hybrid = row(json, "hybrid_sgd")["step_ms"].get<double>();
    EXPECT_GE(hybrid, 10);
    EXPECT_LE(hybrid, row(json, "sync_sgd")["step_ms"].get<double>());
}

// The window shows the runs of one advice as one group, and those of the next advice as another.
void ForecastTest::expectSeries(std::size_t advices) const {
    auto reader = storage::RunReader::open(folder_.workspace());
    ASSERT_TRUE(reader);
    std::map<std::string, std::set<std::int64_t>> places;
    const auto rows = reader->list().value();
    for (const storage::RunRow& run : rows) {
        EXPECT_EQ(run.seriesSize, 0) << "it is not known beforehand";
        EXPECT_TRUE(places[run.series].insert(run.seriesPlace).second) << "one run a place";
    }
    EXPECT_EQ(places.size(), advices);
    EXPECT_FALSE(places.contains(""));
    for (const auto& [series, of] : places) EXPECT_EQ(of.size() * advices, rows.size()) << series;
}

// Step times by formula are those of the runs with the same settings.
void ForecastTest::expectFormulasOfTheRows(const nlohmann::json& json) {
    const auto formula = [&](const std::string& algorithm) {
        for (const auto& one : json["formulas"]) {
            if (one["algorithm"] == algorithm) return one;
        }
        throw std::runtime_error("no formula of " + algorithm);
    };
    EXPECT_NEAR(formula("dasgd")["step_ms"].get<double>(),
                row(json, "period = 3, delay = 3, local_weight = 0.0")["step_ms"].get<double>(), 0.05);
    EXPECT_NEAR(formula("local_sgd")["step_ms"].get<double>(),
                row(json, "local_sgd\", period = 3")["step_ms"].get<double>(), 0.05);
    EXPECT_NEAR(formula("independent")["step_ms"].get<double>(), 10, 0.01);
    EXPECT_NEAR(formula("slowmo")["step_ms"].get<double>(), 10 + 1e3 * kTransfer / 3, 0.05);
    EXPECT_TRUE(formula("hybrid_sgd")["step_ms"].is_null());
    EXPECT_NE(formula("hybrid_sgd")["why_not"], "");
}

// The runs would otherwise be among the user's own in lists, comparisons and figures.
void ForecastTest::expectNoRunOfTheExperiment() const {
    const test::Ended list = folder_.run({"list", "-w", "w", "--json", "--all"});
    ASSERT_EQ(list.exit, 0) << list.err;
    std::istringstream lines(list.out);
    std::string line;
    std::set<std::string> experiments;
    while (std::getline(lines, line)) experiments.insert(nlohmann::json::parse(line)["experiment"]);
    EXPECT_EQ(experiments, (std::set<std::string>{"known (advice)", "known (probe)"}));
}

TEST_F(ForecastTest, AgreesWithClosedFormsAndFormulasAndItsRunsAreSeriesOfTheirOwn) {
    const auto json = forecast();
    expectClosedForms(json);
    expectFormulasOfTheRows(json);
    expectNoRunOfTheExperiment();
    expectSeries(1);
    static_cast<void>(forecast());
    expectSeries(2);
}

// 1,004 + 2 + 13 + 1 places and numbers of the four parameters go to three others over 2 Mbit/s.
constexpr double kGathered = 3 * 1020 * 8 * 8 / 2e6;

TEST_F(ForecastTest, CompressedExchangesHaveTheirOwnDelayAndTimes) {
    const auto json =
        forecast({"--set", "compression={name = \"topk\", start = 500}", "--set", "network.bandwidth=2Mbps"});
    EXPECT_NEAR(json["advice"]["exchange_s"].get<double>(), kGathered, 1e-6);
    EXPECT_EQ(json["advice"]["delay"], 10) << "97.9 ms";
    EXPECT_TRUE(json["advice"]["hides"]);
    const auto& advised = row(json, "period = 10, delay = 10, local_weight = 0.0");
    EXPECT_NEAR(advised["step_ms"].get<double>(), 10, 0.01);
    EXPECT_GE(advised["hidden"].get<double>(), 0.999);
    EXPECT_NEAR(row(json, "local_sgd\", period = 4")["step_ms"].get<double>(), 10 + 1e3 * kGathered / 4, 0.05);
    EXPECT_NEAR(row(json, "sync_sgd")["step_ms"].get<double>(), 10 + 1e3 * kGathered, 0.05) << "after hybrid_sgd too";
    for (const auto& one : json["formulas"]) {
        if (one["algorithm"] == "local_sgd") {
            EXPECT_NEAR(one["step_ms"].get<double>(), 10 + 1e3 * kGathered / 10, 0.05);
            EXPECT_EQ(one["sent_bytes"], 3 * 1020 * 8);
        }
        for (const char* without : {"co2", "easgd", "gossip_sgd"}) {
            if (one["algorithm"] != without) continue;
            EXPECT_TRUE(one["step_ms"].is_null()) << without;
            EXPECT_NE(one["why_not"], "") << without;
        }
    }
}

TEST_F(ForecastTest, ASectionThatCompressesNothingIsAsNone) {
    const auto json = forecast({"--set", "compression.name=none"});
    EXPECT_EQ(json["advice"]["delay"], 3);
    expectFormulasOfTheRows(json);
}

TEST_F(ForecastTest, AnExperimentWithUnequalBatchesIsForecastWithEqualOnes) {
    const auto json = forecast({"--set", "train.balance=rate", "--set", "train.rebalance=5"});
    expectClosedForms(json);
    EXPECT_THAT(json["advice"]["why"].dump(), ::testing::HasSubstr("All rows have equal batches"));
    storage::RunReader reader = test::orDie(storage::RunReader::open(folder_.workspace()));
    for (const auto& one : json["forecast"]) {
        const auto run = test::orDie(reader.detail(one["run_id"].get<std::string>()));
        const Value config = test::orDie(parseToml(run.row.config, "config"));
        EXPECT_EQ(*valueAt<std::string>(config, "train", "balance"), "none") << one;
    }
}

TEST_F(ForecastTest, OperatorsThatNoAverageCanHaveAreRefused) {
    folder_.write("known.toml", kAdvisedCluster);
    for (const char* fields : {"name = \"dgc\"", "name = \"sign\", scale = \"one\", vote = true"}) {
        const test::Ended ended =
            folder_.run({"advise", "known.toml", "-w", "w", "-q", "--set", "algorithm={name = \"sync_sgd\"}", "--set",
                         std::string("compression={") + fields + "}", "--set", "optimizer.momentum=0.0"});
        EXPECT_NE(ended.exit, 0);
        EXPECT_THAT(ended.err, ::testing::HasSubstr("(advise looks for averages of dasgd)"));
    }
}

TEST(WhyAnotherIsFirst, IsSaidOfWhatIsThereBeforeTheAdvisedRowAndOfNothingElse) {
    const auto rowOf = [](const std::string& name, CandidateRole role, std::optional<double> seconds) {
        ForecastRow row{.algorithm = name, .role = role, .targetSeconds = seconds};
        row.settings.set("name", Value(name));
        return row;
    };
    const ForecastRow advised = rowOf("dasgd", CandidateRole::Advised, 20), sync = rowOf("sync_sgd", {}, 15);
    const auto why = reasonAdviceIsNotFirst({sync, advised});
    ASSERT_TRUE(why);
    EXPECT_TRUE(why->starts_with("sync_sgd gets there after 15.00 s, the advised setting gets there after 20.00 s."))
        << *why;
    const auto never = reasonAdviceIsNotFirst({sync, rowOf("dasgd", CandidateRole::Advised, std::nullopt)});
    ASSERT_TRUE(never);
    EXPECT_TRUE(never->starts_with("sync_sgd gets there after 15.00 s, the advised setting never does.")) << *never;
    EXPECT_FALSE(reasonAdviceIsNotFirst({advised, sync}));
    EXPECT_FALSE(reasonAdviceIsNotFirst({advised, rowOf("local_sgd", {}, 20)}));
    EXPECT_FALSE(reasonAdviceIsNotFirst({rowOf("independent", CandidateRole::Alone, 10), advised}));
}

class ForecastOfATarget : public ForecastTest {
protected:
    nlohmann::json advise(const std::string& target) const {
        folder_.write("bowls.toml", test::quickExperiment("virtual", 60) +
                                        "[network]\nbandwidth = \"1Gbps\"\nlatency = \"2ms\"\n"
                                        "[compute]\nstep_time = \"10ms\"\n");
        const test::Ended ended =
            folder_.run({"advise", "bowls.toml", "-w", "w", "-q", "--json", "--target", "loss=" + target});
        EXPECT_EQ(ended.exit, 0) << ended.err;
        return nlohmann::json::parse(ended.out);
    }
};

TEST_F(ForecastOfATarget, TellsNoTimeWhereNobodyReachesIt) {
    for (const auto& one : advise("-1")["forecast"]) EXPECT_TRUE(one["target_s"].is_null()) << one;
}

// The least mean loss of the bowls is 0.25, in the middle between them. Descent from (4, -3) by 0.1 has 0.2612 after 40
// steps and 0.2521 after 50, so that 0.256 is found at the fifth evaluation by whoever averages and discards no step.
// The published blend after every step discards three quarters of them: after 60 it is where the others were after 15,
// above 0.55.
TEST_F(ForecastOfATarget, TrainsEveryRow) {
    const auto json = advise("0.256");
    EXPECT_EQ(json["target"], "loss ≤ 0.256");
    const auto& sync = row(json, "sync_sgd");
    const test::Ended shown = folder_.run({"show", sync["target_run_id"].get<std::string>(), "-w", "w", "--json"});
    ASSERT_EQ(shown.exit, 0) << shown.err;
    // Evaluated every 10 steps, of 10 ms and two messages of 2 ms.
    EXPECT_NEAR(sync["target_s"].get<double>(), 50 * 0.014, 1e-3);
    EXPECT_NEAR(row(json, "delay = 1, local_weight = 0.0")["target_s"].get<double>(), 50 * 0.010, 1e-3);
    EXPECT_TRUE(row(json, "period = 1, delay = 1, local_weight = 0.25")["target_s"].is_null());
    double last = 0;
    for (const auto& one : json["forecast"]) {
        if (one["algorithm"] == "independent" || one["target_s"].is_null()) continue;
        EXPECT_GE(one["target_s"].get<double>(), last) << "by time to target";
        last = one["target_s"].get<double>();
    }
    EXPECT_TRUE(row(json, "hybrid_sgd")["target_s"].is_null()) << "it is only timed";
    EXPECT_TRUE(row(json, "hybrid_sgd")["target_run_id"].is_null());
}

// The experiment's two workers have 32 samples each, the three of a row without a server 22.
TEST_F(ForecastTest, ARowThatCannotBeTrainedSaysWhy) {
    folder_.write("served.toml",
                  "name = \"served\"\n[algorithm]\nname = \"ssp\"\n[model]\nname = \"logistic\"\n[data]\n"
                  "name = \"synthetic\"\ntrain_samples = 64\n[train]\nsteps = 20\nbatch_size = 24\n[cluster]\n"
                  "backend = \"virtual\"\nworkers = 3\n[compute]\nstep_time = \"5ms\"\n");
    const test::Ended ended =
        folder_.run({"advise", "served.toml", "-w", "w", "-q", "--json", "--target", "loss=0.01"});
    ASSERT_EQ(ended.exit, 0) << ended.err;
    const auto json = nlohmann::json::parse(ended.out);
    const auto& averaged = row(json, "local_sgd");
    EXPECT_THAT(averaged["why_not"].get<std::string>(),
                ::testing::HasSubstr("served.toml:11:14: batch_size is 24 and each of 3 workers has 22 of the 64"));
    EXPECT_TRUE(averaged["target_s"].is_null());
    EXPECT_GT(averaged["step_ms"].get<double>(), 0) << "it is timed";
}

// One advice a test: it makes a dozen runs, each a process that loads LibTorch.
class ForecastLength : public ForecastTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(ForecastLength, IsWhateverTheCommandLineSets) {
    const auto json = forecast({"--set", GetParam()});
    EXPECT_NEAR(json["facts"]["reduce_s"].get<double>(), kTransfer, 1e-5);
    EXPECT_EQ(json["advice"]["delay"], 3);
    const auto& advised = row(json, "local_weight = 0.0");
    EXPECT_NEAR(advised["target_s"].get<double>() / (advised["step_ms"].get<double>() * 1e-3),
                json["target_steps"].get<double>(), 1e-6);
    if (GetParam() == std::string("train.steps=12")) {
        EXPECT_EQ(json["target_steps"], 12);
    }
}

INSTANTIATE_TEST_SUITE_P(Lengths, ForecastLength, ::testing::Values("train.steps=12", "train={epochs=2,batch_size=8}"),
                         [](const auto& info) { return info.index == 0 ? "steps" : "epochs"; });

// Every sentence of an advice is held to a run with the number that it says, and to one with a number just short of it.
class AdviceOfAForecast : public ForecastTest {
protected:
    // A run of the cluster for time alone, with one more setting after another.
    nlohmann::json run(std::vector<std::string> settings) const {
        std::vector<std::string> arguments{"run", "known.toml", "-w", "w", "-q", "--json"};
        settings.insert(settings.end(), {"compute.mode=time-only", "train.steps=240", "record.trace=summary"});
        for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
        const test::Ended ended = folder_.run(arguments);
        EXPECT_EQ(ended.exit, 0) << ended.err;
        return nlohmann::json::parse(ended.out);
    }
    static std::string dasgd(std::int64_t period, std::int64_t delay) {
        return "algorithm={name=\"dasgd\",period=" + std::to_string(period) + ",delay=" + std::to_string(delay) +
               ",local_weight=0.0,correction=1.0,snapshot_at_zero=true}";
    }
    static std::string milliseconds(double value) { return "compute.step_time=" + csvNumber(value) + "ms"; }
    static bool isHidden(const nlohmann::json& run) {
        return run["hidden"].get<double>() > 0.999 && run["blocked_s"].get<double>() < 1e-4;
    }
    static bool says(const nlohmann::json& json, const std::string& sentence) {
        return json["advice"]["why"].dump().find(sentence) != std::string::npos;
    }
};

TEST_F(AdviceOfAForecast, ItsDelayBatchAndWorkersHideAndOneShortOfEachDoesNot) {
    const auto json = forecast();
    ASSERT_EQ(json["advice"]["delay"], 3);
    EXPECT_TRUE(isHidden(run({dasgd(3, 3)})));
    EXPECT_FALSE(isHidden(run({dasgd(3, 2)})));

    const int batch = json["advice"]["batch_for_delay_1"];
    ASSERT_TRUE(says(json, "from " + std::to_string(batch) + " samples a worker on a delay of one step would do"));
    EXPECT_TRUE(isHidden(run({dasgd(3, 1), milliseconds(10.0 * batch / 8)})));
    EXPECT_FALSE(isHidden(run({dasgd(3, 1), milliseconds(10.0 * (batch - 1) / 8)})));

    const int workers = json["advice"]["most_workers"];
    ASSERT_TRUE(says(json, "an average of up to " + std::to_string(workers) + " of them"));
    EXPECT_TRUE(isHidden(run({dasgd(3, 3), "cluster.workers=" + std::to_string(workers)})));
    EXPECT_FALSE(isHidden(run({dasgd(3, 3), "cluster.workers=" + std::to_string(workers + 1)})));

    // The gradients of the mlp are one bucket, whatever its limit.
    ASSERT_TRUE(says(json, "Synchronous SGD hides nothing with any batch: its gradients are one bucket"));
    EXPECT_TRUE(json["advice"]["batch_for_sync_sgd"].is_null());
    for (const double ms : {10.0, 10000.0}) {
        EXPECT_EQ(run({"algorithm={name=\"sync_sgd\"}", milliseconds(ms)})["hidden"].get<double>(), 0) << ms;
    }
}

// A step of T_c and of what a push to the servers and a pull from them take.
TEST_F(AdviceOfAForecast, ItsServersExchangeWithinItsDelayAndOneLessDoesNot) {
    const auto json = forecast({"--set", "cluster.workers=8", "--set", "compute.step_time=12ms"});
    const int servers = json["advice"]["parameter_servers"];
    ASSERT_TRUE(says(json, "would take " + std::to_string(servers) + " hosts of their own"));
    const double room = 12.0 * json["advice"]["delay"].get<int>();
    const auto exchangeMs = [&](int n) {
        return run({"algorithm={name=\"ssp\",staleness=0,servers=" + std::to_string(n) + "}", milliseconds(12),
                    "cluster.workers=" + std::to_string(8 + n)})["step_ms"]
                   .get<double>() -
               12;
    };
    EXPECT_LE(exchangeMs(servers), room);
    EXPECT_GT(exchangeMs(servers - 1), room);
}

// The memory of this cluster is so fast that contention alone counts: 24.4 ms · 0.05/1.05 = 1.16 ms of every round,
// which six steps of 10 ms afford at 2 % and five do not.
TEST_F(AdviceOfAForecast, ItsPeriodCostsAsMuchAsIsAllowedAndOneLessMore) {
    const std::string contended = "compute.contention=0.05";
    const auto json = forecast({"--set", contended});
    const std::int64_t period = json["advice"]["period"], delay = json["advice"]["delay"];
    EXPECT_EQ(period, 6);
    ASSERT_GT(period, delay);
    ASSERT_TRUE(says(json, "a shorter period spends more than 2.0 % of a step on contention (κ = 0.05"));
    EXPECT_EQ(json["facts"]["contention"], 0.05) << "as the file says, and not as a probe would measure it";
    const auto overhead = [&](std::int64_t of) {
        return run({dasgd(of, delay), contended})["step_ms"].get<double>() / 10 - 1;
    };
    EXPECT_LE(overhead(period), 0.02);
    EXPECT_GT(overhead(period - 1), 0.02);
}

// Seven passes over 407,080 bytes at 2 GB/s are 1.42 ms of every round: eight steps of 10 ms afford that at 2 %, seven
// do not.
TEST_F(AdviceOfAForecast, ItsPeriodPaysForThePassesOverMemoryThatASimulationCharges) {
    const std::string slow = "compute.memory_bandwidth=2GB/s";
    const auto json = forecast({"--set", slow});
    const std::int64_t period = json["advice"]["period"], delay = json["advice"]["delay"];
    EXPECT_EQ(period, 8);
    ASSERT_TRUE(says(json, "a shorter period spends more than 2.0 % of a step on"));
    const auto overhead = [&](std::int64_t of) {
        return run({dasgd(of, delay), slow})["step_ms"].get<double>() / 10 - 1;
    };
    EXPECT_LE(overhead(period), 0.02);
    EXPECT_GT(overhead(period - 1), 0.02);
}

// VGG's kind: most bytes in the layers whose gradients come first. Small buckets let them leave early, large ones save
// latency. Two layers of 16 MB each leave before the gradients of the first layer, 4 MB, are there.
TEST_F(AdviceOfAForecast, HasTheBucketsWithWhichSynchronousSgdHidesAllButTheLastFromItsBatchOn) {
    const std::string layers = "model={name=\"layer_table\",dense=[[1000,1000],[1000,4000],[4000,1000]]}";
    const auto json = forecast({"--set", layers});
    EXPECT_EQ(json["advice"]["bucket_mb"], 1) << "without latency the smallest leave first";
    EXPECT_EQ(row(json, "sync_sgd")["settings"], "{ name = \"sync_sgd\", bucket_mb = 1.0 }");
    EXPECT_TRUE(says(json, "buckets of 1 MB"));
    const double most = json["advice"]["sync_sgd_hides_at_most"];
    const double batch = json["advice"]["batch_for_sync_sgd"];
    ASSERT_GT(most, 0.5);
    ASSERT_TRUE(says(json, percent(most) + " of its transfers, from " + csvNumber(batch) + " samples a worker on"));
    const auto hidden = [&](double samples) {
        const double bucket = json["advice"]["bucket_mb"];
        return run({layers, "algorithm={name=\"sync_sgd\",bucket_mb=" + csvNumber(bucket) + "}",
                    milliseconds(10 * samples / 8)})["hidden"]
            .get<double>();
    };
    EXPECT_NEAR(hidden(batch), most, 0.002);
    EXPECT_NEAR(hidden(10 * batch), most, 0.002);
    EXPECT_LT(hidden(0.95 * batch), most - 0.002);
}

// Each run would measure its own T_c, and noise would make the rows differ.
TEST_F(ForecastTest, ComparesOnOneMeasurementOfTheStep) {
    const auto json = forecast({"--set", "compute.step_time=measured"});
    storage::WorkspaceReader reader = test::orDie(storage::WorkspaceReader::open(folder_.workspace()));
    const auto computed = test::orDie(reader.metrics().samples(
        {.runId = json["facts"]["probe_run"].get<std::string>(), .name = "run/computed_step_ms"}));
    ASSERT_EQ(computed.samples.size(), 1U);
    const double stepMs = computed.samples.front().value;
    EXPECT_NEAR(row(json, "independent")["step_ms"].get<double>() / stepMs, 1, 1e-3);
    for (const auto& one : json["forecast"]) {
        const auto run = test::orDie(reader.runs().detail(one["run_id"].get<std::string>()));
        const Value config = test::orDie(parseToml(run.row.config, "config"));
        EXPECT_EQ(*valueAt<std::string>(config, "compute", "step_time"), csvNumber(stepMs) + "ms") << one;
        EXPECT_FALSE(valueAt<Value::Array>(config, "compute", "gradient_shares")->empty());
        EXPECT_GT(*valueAt<double>(config, "compute", "forward_share"), 0);
    }
}

// A link of 1 Mbit/s: an average takes 4.9 s, and no delay hides it. 256 steps of 10 ms a round, four rounds, each with
// its wait of 2.3 s: one round less would be 12 % less a step.
TEST_F(ForecastTest, TimesEveryRoundOfALongDelay) {
    const auto json = forecast({"--set", "network.bandwidth=1Mbps"});
    EXPECT_FALSE(json["advice"]["hides"]);
    EXPECT_EQ(json["advice"]["delay"], 256);
    const double transfer = 200 * kTransfer;
    for (const int delay : {255, 256}) {
        const auto& advised =
            row(json, "period = 256, delay = " + std::to_string(delay) + ", local_weight = 0.0, correction = 1.0");
        const double formula = 1e3 * dasgdStepSeconds(0.010, transfer, 256, delay);
        EXPECT_NEAR(advised["step_ms"].get<double>() / formula, 1, 0.005) << delay;
    }
}

TEST_F(ForecastTest, ManyRanksGoByFormula) {
    const auto json = forecast({"--set", "cluster.workers=65"});
    EXPECT_TRUE(json["facts"]["by_formula"]);
    EXPECT_THROW(row(json, "hybrid_sgd"), std::runtime_error) << "its messages would share no link";
}

TEST(Forecast, KeepsTheMessagesThatOthersTrafficNeeds) {
    const auto byFormula = [](const std::string& network, int workers) {
        return goesByFormula(test::orDie(parseToml("[network]\n" + network, "test.toml")), workers);
    };
    EXPECT_FALSE(byFormula("", 64));
    EXPECT_TRUE(byFormula("", 65));
    EXPECT_TRUE(byFormula("fidelity = \"formula\"\n", 4));
    EXPECT_FALSE(byFormula("background = { load = 0.1 }\n", 65));
}

}  // namespace
}  // namespace dasgd::experiments
