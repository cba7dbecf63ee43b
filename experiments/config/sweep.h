// From one document to the experiments it stands for: for each of its cases what the command line sets, then the
// product of all sweep axes.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/schema/value.h"

namespace dasgd::experiments {

inline constexpr std::size_t kMaxExpandedExperiments = 100'000;

// One axis of a sweep: a key (of a value or a whole table) and what it takes in turn.
struct SweepAxis {
    std::vector<std::string> path;
    SourcePosition place;  // place of the key
    std::vector<Value> values;
    [[nodiscard]] std::string key() const;  // "algorithm.period"
};

// Changes to a document before it is used, as given by --set and --sweep.
struct Overrides {
    std::vector<std::string> set;    // "algorithm.period=8"
    std::vector<std::string> sweep;  // "train.seed=1..5", "algorithm.delay=1,2,3"
    std::string calibration;         // file of a virtual cluster to run on; "" for the experiment's own
    // Leave out fields that only other plug-ins of their section know, and sections that the algorithm does not read.
    bool dropUnknown = false;
};

struct ExpandedExperiment {
    Value document;     // without [[case]] and [sweep]; values keep the places they came from
    std::string label;  // name of the case and values of the axes: "algorithm.delay=2, train.seed=1"; "" without either
    std::vector<std::string> dropped;  // keys that were left out because of Overrides::dropUnknown
};

// Takes [[case]], [sweep] and the overrides into account. Seeds turn slowest: cases too come with each of them; of what
// else is swept the last axis turns fastest. --set of a key that the file sweeps replaces that axis, and so does
// --sweep. An axis over the name of a plug-in ("algorithm.name") keeps the fields that the chosen plug-in knows and
// leaves out those that another of the swept ones knows; experiments that become equal by that are one. Errors carry
// the place of the key or value at fault: among them fields of the old plug-in where --set names another one, unless
// they are to be dropped.
[[nodiscard]] Result<std::vector<ExpandedExperiment>> expandExperiments(const Value& document,
                                                                        const Overrides& overrides);

// One axis as the command line gives it, "algorithm.delay=1,2,3" or "train.seed=1..5"; `option` names it in errors.
[[nodiscard]] Result<SweepAxis> parseAxis(const std::string& option, const std::string& argument);
// Sets the value at a path of keys; tables on the way are made. `place` is that of the key. Errors: something on the
// way is no table.
Status assignAt(Value& root, const std::vector<std::string>& path, const SourcePosition& place, Value value);

// Says on stderr what was dropped, each key once.
void reportDropped(const std::vector<ExpandedExperiment>& experiments);

}  // namespace dasgd::experiments
