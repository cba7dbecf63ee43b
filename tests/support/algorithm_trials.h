// Trials of algorithms: the settings with which the tests over the registry run an algorithm, and the serial rule that
// they hold it to. The test of each algorithm registers one or more:
//
//   const AlgorithmTrial::Add kBmufTrial{{.algorithm = "bmuf", .fields = {{"period", integer(4)}}, .rule = &filters}};
//
// The tests over the registry are in tests/core/algorithms too, and in the same program: the oracle on LeNet, the
// golden trajectory, every backend, saves and stops, simulated time, passes over the weights, and devices.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "core/algorithms/algorithm.h"
#include "core/algorithms/extensions.h"
#include "tests/support/document.h"
#include "tests/support/serial_rule.h"

namespace dasgd::test {

// Two settings that are the same training, to the last bit unless `tolerance` says otherwise.
struct TrialIdentity {
    Fields with;            // fields of the trial's algorithm, which need not be those of the trial
    std::string algorithm;  // the other algorithm
    Fields fields = {};     // and its fields
    std::vector<int> workers = {1, 3, 4};
    double tolerance = 0;  // of the largest weight
};

// Number that the host reads at an average: none, one that lies in a tensor of the host all along, or one that a device
// has computed, for which the host waits. EachStep: the rule chooses by such numbers in every step.
enum class HostReads : std::uint8_t { Nothing, OfItsOwn, OfDevice, EachStep };

struct AlgorithmTrial {
    std::string algorithm;
    // The algorithm's fields. A run of 12 steps on 3 or more workers should use all of the rule.
    Fields fields = {};
    Fields compression = {};  // fields of [compression]; with some, `what` says "coded"
    // Null for an algorithm that models time only, and for further trials of one algorithm.
    std::function<SerialRule(const SerialView&)> rule = nullptr;
    // Tells further trials of one algorithm apart: part of test names. Empty for the first.
    std::string what = {};
    // False where the result depends on which rank comes first. Such a trial is held to what any order must keep, and
    // to the last bit in simulated time alone, where the order repeats.
    bool repeats = true;
    // False where a save ends what is under way: a run that is resumed takes another way, in simulated time too.
    bool resumesExactly = true;
    // The most passes over the weights in a snapshot and in a merge of any step; one_pass_test.cpp counts them.
    std::size_t snapshotPasses = 1, mergePasses = 1;
    HostReads hostReads = HostReads::Nothing;
    // True for a rule for which each pass must have the same batches.
    bool fixesBatches = false;
    // True where the ranks wait for each other to measure, which is no part of a step: passes and waits do not count.
    bool measures = false;
    // False for an algorithm that is refused on GPUs; its name is among those that tests/core/gpu_suites.txt leaves
    // out.
    bool onGpus = true;
    // Of a loss in float32 on a device, relative to the processor's: above 0 where the rounding of an element depends
    // on its place among the others, which padding changes.
    double deviceTolerance = 0;
    // True for a rule that codes what it sends by itself: messages are made on the host, and GPUs are refused.
    bool codes = false;
    // Single messages, as opposed to collectives and exchanges, that two trainers and a server receive in a step.
    int messagesReceived = 0;
    std::vector<TrialIdentity> identities = {};

    // Name of the trial, of one word: part of test names and of the name of the golden file.
    [[nodiscard]] std::string name() const { return what.empty() ? algorithm : algorithm + "_" + what; }
    [[nodiscard]] Value table() const {
        Fields all{{"name", text(algorithm)}};
        all.insert(all.end(), fields.begin(), fields.end());
        return test::table(std::move(all));
    }
    // Sets what `document` has of the trial: [algorithm], and [compression] where there is one.
    void putInto(Value& document) const {
        document.set("algorithm", table());
        if (!compression.empty()) document.set("compression", test::table(compression));
    }
    // Fields of [data] with which it trains.
    [[nodiscard]] Fields data() const { return fixesBatches ? Fields{{"shuffle", text("none")}} : Fields(); }
    [[nodiscard]] std::unique_ptr<Algorithm> make() const {
        return AlgorithmRegistry::find(algorithm)->create(table(), {"name"}).value();
    }
    [[nodiscard]] bool isTimeOnly() const { return make()->isTimeOnly(); }
    [[nodiscard]] bool isCoded() const { return codes || !compression.empty(); }
    // True where its workers make unequal numbers of steps whatever train.work says.
    [[nodiscard]] bool sharesWork() const {
        const auto made = make();
        const auto* shares = dynamic_cast<const SharesWork*>(made.get());
        return shares && shares->alwaysShares();
    }
    // Ranks with which `trainers` of them train.
    [[nodiscard]] int ranksFor(int trainers) const {
        const auto made = make();
        const auto* roles = dynamic_cast<const HasRoles*>(made.get());
        int ranks = trainers;
        while (roles && roles->roles(ranks).trainers() < trainers) ++ranks;
        return ranks;
    }

    // The least number of ranks, from `ranks` on, that the algorithm does not refuse by cluster.workers.
    [[nodiscard]] int acceptedRanks(int ranks) const {
        const auto made = make();
        const auto refuses = [&](int workers) {
            const auto refused = made->check({.workers = workers});
            return refused && refused->field == "cluster.workers";
        };
        while (refuses(ranks)) ++ranks;
        return ranks;
    }

    struct Add {
        explicit Add(AlgorithmTrial trial) { all().push_back(std::move(trial)); }
    };
    // All trials in the order of their names.
    [[nodiscard]] static std::vector<AlgorithmTrial> list() {
        std::vector<AlgorithmTrial> sorted = all();
        std::ranges::sort(sorted, {}, &AlgorithmTrial::name);
        return sorted;
    }

private:
    static std::vector<AlgorithmTrial>& all() {
        static std::vector<AlgorithmTrial> trials;
        return trials;
    }
};
inline std::ostream& operator<<(std::ostream& to, const AlgorithmTrial& trial) { return to << trial.name(); }

// Name of a trial for INSTANTIATE_TEST_SUITE_P.
inline std::string trialName(const ::testing::TestParamInfo<AlgorithmTrial>& info) { return info.param.name(); }

[[nodiscard]] inline std::vector<AlgorithmTrial> trialsThat(const std::function<bool(const AlgorithmTrial&)>& suit) {
    std::vector<AlgorithmTrial> trials = AlgorithmTrial::list();
    std::erase_if(trials, [&](const AlgorithmTrial& trial) { return !suit(trial); });
    return trials;
}
[[nodiscard]] inline std::vector<AlgorithmTrial> trialsThatTrain() {
    return trialsThat([](const AlgorithmTrial& trial) { return !trial.isTimeOnly(); });
}
[[nodiscard]] inline std::vector<AlgorithmTrial> trialsThatRepeat() {
    return trialsThat([](const AlgorithmTrial& trial) { return trial.repeats && !trial.isTimeOnly(); });
}
// Trials of rules that can begin behind synchronous steps (core/algorithms/sync_steps.h), and do not unless told.
[[nodiscard]] inline std::vector<AlgorithmTrial> trialsBehindSyncSteps() {
    return trialsThat([](const AlgorithmTrial& trial) {
        const auto& fields = AlgorithmRegistry::find(trial.algorithm)->fields;
        const auto found = std::ranges::find(fields, "sync_steps", &FieldInfo::name);
        return trial.repeats && found != fields.end() && found->defaultToml == "0";
    });
}

}  // namespace dasgd::test
