#include "core/step/hidden_matrices.h"

#include <gmock/gmock.h>
#include <torch/nn/module.h>

#include <set>
#include <string>

#include "core/step/flat_params.h"
#include "tests/support/document.h"
#include "tests/support/sim/networks.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// Names of the matrices that are not of a hidden layer, and of those that are.
struct Matrices {
    std::set<std::string> hidden, others;
};
Matrices matricesOf(const std::string& model, const InputSpec& input, const Value& fields = {}) {
    const auto built = buildModel(model, input, fields);
    const std::vector<bool> hidden = hiddenMatrices(built->module());
    const std::vector<at::Tensor> parameters = trainableParameters(built->module());
    EXPECT_EQ(hidden.size(), parameters.size());
    Matrices found;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        for (const auto& named : built->module().named_parameters()) {
            if (!named.value().is_same(parameters[i])) continue;
            const bool isMatrix = parameters[i].dim() >= 2;
            EXPECT_TRUE(isMatrix || !hidden[i]) << named.key();
            if (isMatrix) (hidden[i] ? found.hidden : found.others).insert(named.key());
        }
    }
    return found;
}

const InputSpec kMatrixRow{.shape = {6}, .classes = 4};
const InputSpec kMatrixText{.shape = {8}, .classes = 20, .task = Task::kLanguage};

TEST(HiddenMatrices, ATransformersAreThoseOfItsBlocks) {
    const Matrices found = matricesOf(
        "gpt", kMatrixText,
        table({{"layers", integer(2)}, {"width", integer(8)}, {"heads", integer(2)}, {"context", integer(8)}}));
    EXPECT_THAT(found.others, UnorderedElementsAre("tokens.weight", "positions.weight"));
    EXPECT_EQ(found.hidden.size(), 2U * 4U);
    EXPECT_TRUE(found.hidden.contains("block2.project2.weight")) << "the last matrix, since the output is tied";
}

TEST(HiddenMatrices, AnOutputBesideEmbeddingsIsNone) {
    const Matrices found = matricesOf("char_lstm", kMatrixText,
                                      table({{"width", integer(5)}, {"layers", integer(1)}, {"context", integer(8)}}));
    EXPECT_THAT(found.others, UnorderedElementsAre("embedding.weight", "fc.weight"));
    EXPECT_EQ(found.hidden.size(), 2U) << "of the input and of the state, four gates each";
}

TEST(HiddenMatrices, FirstAndLastOfANetworkWithoutEmbeddingsAreNone) {
    const Matrices deep = matricesOf("mlp", kMatrixRow, table({{"hidden", array<std::int64_t>({7, 5, 3})}}));
    EXPECT_EQ(deep.hidden.size(), 2U);
    EXPECT_EQ(deep.others.size(), 2U);
    EXPECT_THAT(matricesOf("mlp", kMatrixRow, table({{"hidden", array<std::int64_t>({7})}})).hidden, IsEmpty());
    EXPECT_THAT(matricesOf("logistic", kMatrixRow).hidden, IsEmpty()) << "one matrix is both";
    const Matrices lenet = matricesOf("lenet", {.shape = {1, 28, 28}, .classes = 10});
    EXPECT_EQ(lenet.hidden.size() + 2, lenet.hidden.size() + lenet.others.size());
    EXPECT_GE(lenet.hidden.size(), 2U) << "kernels count";
}

TEST(HiddenMatrices, StandInTheSlotsOfFlatParameters) {
    const auto model = buildModel("mlp", kMatrixRow, table({{"hidden", array<std::int64_t>({7, 5})}}));
    const std::vector<bool> hidden = hiddenMatrices(model->module());
    FlatParams flat(model->module(), at::kDouble);
    const auto inSlots = [](const FlatParams& params) {
        std::vector<bool> each;
        for (const FlatParams::Slot& slot : params.slots()) each.push_back(slot.hidden);
        return each;
    };
    EXPECT_EQ(inSlots(flat), hidden);
    EXPECT_THAT(hidden, ElementsAre(false, false, true, false, false, false));
    // A server of the whole model steps matrices; one that has a share of a matrix has none.
    const FlatParams whole = FlatParams::partOf(flat, 0, torch::zeros_like(flat.weights()));
    EXPECT_EQ(inSlots(whole), hidden);
    EXPECT_EQ(whole.slots()[2].parameter.sizes(), flat.slots()[2].parameter.sizes());
    const std::int64_t share = flat.slots()[2].offset + flat.slots()[2].numel - 1;
    EXPECT_THAT(inSlots(FlatParams::partOf(flat, 0, torch::zeros({share}, torch::kDouble))),
                ElementsAre(false, false, false));
}

}  // namespace
}  // namespace dasgd::test
