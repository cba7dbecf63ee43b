// Trials of models: a small input and small settings with which the tests over the registry build a model. The test of
// each model registers one:
//
//   const ModelTrial::Add kLeNetTrial{{.model = "lenet", .input = {.shape = {1, 12, 12}, .classes = 5}}};
//
// The tests over the registry are in tests/core/models too, and in the same program.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "core/models/model.h"
#include "tests/support/document.h"

namespace dasgd::test {

struct ModelTrial {
    std::string model;
    InputSpec input = {};
    Value fields = Value(Value::Table{});
    // Tolerance on a device: vectors of a kernel end elsewhere in padded slots, and the elements left over are rounded
    // once less.
    double tolerance = 1e-7;
    // Why no test trains it, where none does.
    std::string leftOut = {};

    struct Add {
        explicit Add(ModelTrial trial) { all().push_back(std::move(trial)); }
    };
    // All trials in the order of their models' names.
    [[nodiscard]] static std::vector<ModelTrial> list() {
        std::vector<ModelTrial> sorted = all();
        std::ranges::sort(sorted, {}, &ModelTrial::model);
        return sorted;
    }
    [[nodiscard]] static std::vector<ModelTrial> thatTrain() {
        std::vector<ModelTrial> trials = list();
        std::erase_if(trials, [](const ModelTrial& trial) { return !trial.leftOut.empty(); });
        return trials;
    }

private:
    static std::vector<ModelTrial>& all() {
        static std::vector<ModelTrial> trials;
        return trials;
    }
};
inline std::ostream& operator<<(std::ostream& to, const ModelTrial& trial) { return to << trial.model; }
inline std::string modelTrialName(const ::testing::TestParamInfo<ModelTrial>& info) { return info.param.model; }

}  // namespace dasgd::test
