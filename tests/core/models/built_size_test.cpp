#include "core/models/built_size.h"

#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>

#include "tests/support/document.h"
#include "tests/support/sim/networks.h"

namespace dasgd {
namespace {

using test::array;
using test::table;

std::optional<double> sizeOf(const std::string& name, const InputSpec& input, const Value& params = {}) {
    const auto model = ModelRegistry::find(name)->create(params, {}).value();
    return sizeOfBuilt(*model, {.input = input});
}

// The size that a model tells without values is that of the model that is built, for every such model of the registry.
TEST(BuiltSize, IsThatOfTheModel) {
    int known = 0;
    for (const auto& [name, entry] : ModelRegistry::entries()) {
        const auto model = entry.create({}, {});
        if (!model) continue;  // needs a file or layers
        const InputSpec input = (*model)->naturalInput();
        const auto size = sizeOf(name, input);
        if (!size) continue;
        ++known;
        ASSERT_TRUE((*model)->build({.input = input})) << name;
        double bytes = 0;
        for (const at::Tensor& one : (*model)->module().parameters()) bytes += static_cast<double>(one.nbytes());
        for (const at::Tensor& one : (*model)->module().buffers()) bytes += static_cast<double>(one.nbytes());
        EXPECT_GE(*size, bytes) << name;
        EXPECT_LE(*size, bytes + 64e3) << name
                                       << ": the one tensor that is larger are the frequencies of random_features";
    }
    EXPECT_GT(known, 10);
}

// 4 TB, of which not a byte is allocated.
TEST(BuiltSize, TakesNoMemory) {
    const InputSpec digits{.shape = {1, 28, 28}, .classes = 10};
    const auto size = sizeOf("mlp", digits, table({{"hidden", array<std::int64_t>({1'000'000, 1'000'000})}}));
    ASSERT_TRUE(size);
    EXPECT_EQ(*size, 4 * (784e6 + 1e6 + 1e12 + 1e6 + 1e7 + 10));
    EXPECT_TRUE(torch::nn::Linear(3, 4)->weight.is_cpu()) << "what is built afterwards has values";
}

TEST(BuiltSize, IsNotKnownWhereNothingIsAllocated) {
    EXPECT_FALSE(sizeOf("lenet", {.shape = {20}, .classes = 10})) << "lenet takes images";
    EXPECT_FALSE(sizeOf("layer_table", {}, table({{"dense", test::matrix({{1e6, 1e6}})}})))
        << "it has no values anyway";
}

}  // namespace
}  // namespace dasgd
