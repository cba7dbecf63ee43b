#include "core/cost/tensor_parallel.h"

#include <gmock/gmock.h>

#include <array>
#include <vector>

namespace dasgd {
namespace {

using Grid = TensorGrid;
using Division = SequenceDivision;

const std::vector<LayerProduct> kPair{{128, 16, 64}, {128, 64, 16}};

TEST(TensorParallel, SendsTheElementsOfItsFormula) {
    // 1-D: an all-reduce of the pair's outputs, and one of the gradient of its inputs.
    const PassVolumes rows = tensorParallel(Grid::Rows, kPair, 64);
    EXPECT_DOUBLE_EQ(rows.forward.elements, 2 * 128 * 16 * 63.0 / 64);
    EXPECT_DOUBLE_EQ(rows.backward.elements, 2 * 128 * 16 * 63.0 / 64);
    // 2-D, q = 8: (mk + kn)(q−1)/q² a product, three of them in a step.
    const double square = 7.0 / 64 * (128 * 16 + 16 * 64 + 128 * 64 + 64 * 16);
    EXPECT_DOUBLE_EQ(tensorParallel(Grid::Square, kPair, 64).forward.elements, square);
    EXPECT_DOUBLE_EQ(tensorParallel(Grid::Square, kPair, 64).step().elements, 3 * square);
    // 3-D, q = 4: (mk + kn + mn)(q−1)/q³, twice.
    const double cube = 3.0 / 64 * 2 * (128 * 16 + 16 * 64 + 128 * 64);
    EXPECT_DOUBLE_EQ(tensorParallel(Grid::Cube, kPair, 64).forward.elements, cube);
    EXPECT_DOUBLE_EQ(tensorParallel(Grid::Cube, kPair, 64).step().elements, 2 * cube);
}

TEST(TensorParallel, ALastLayerWithoutAPartnerGathersItsOutputs) {
    const PassVolumes sent = tensorParallel(Grid::Rows, std::vector<LayerProduct>{{6, 10, 4}}, 2);
    EXPECT_DOUBLE_EQ(sent.forward.elements, 6 * 4 / 2.0);
    EXPECT_DOUBLE_EQ(sent.backward.elements, 2 * 6 * 10 / 2.0);
}

// As long as the collectives of cost.h over an idle link.
TEST(TensorParallel, TakesTheTimeOfItsCollectives) {
    const LinkCost link{.alpha = 3e-6, .beta = 2e-9};
    EXPECT_DOUBLE_EQ(tensorParallel(Grid::Rows, kPair, 8).forward.seconds(link, 4),
                     ringAllReduceSeconds(link, 4 * 128 * 16, 8));
    const std::vector<LayerProduct> one{{128, 16, 64}};
    EXPECT_DOUBLE_EQ(tensorParallel(Grid::Cube, one, 8).forward.seconds(link, 4),
                     allGatherSeconds(link, 4 * 128 * 16 / 8.0, 2) + allGatherSeconds(link, 4 * 16 * 64 / 8.0, 2) +
                         reduceScatterSeconds(link, 4 * 128 * 64 / 4.0, 2));
    EXPECT_DOUBLE_EQ(tensorParallel(Grid::Square, one, 16).forward.seconds(link, 4),
                     allGatherSeconds(link, 4 * 128 * 16 / 16.0, 4) + allGatherSeconds(link, 4 * 16 * 64 / 16.0, 4));
    EXPECT_DOUBLE_EQ(sequenceParallel(Division::Switches, 800, 8).seconds(link, 4), 2 * allToAllSeconds(link, 400, 8));
}

TEST(TensorParallel, OneRankSendsNothing) {
    for (const Grid grid : {Grid::Rows, Grid::Square, Grid::Cube}) {
        EXPECT_EQ(gridSide(grid, 1), 1);
        EXPECT_EQ(tensorParallel(grid, kPair, 1).step().elements, 0);
        EXPECT_EQ(tensorParallel(grid, kPair, 1).step().messages, 0);
    }
    for (const Division one : {Division::Switches, Division::Heads, Division::Gathers}) {
        EXPECT_EQ(sequenceParallel(one, 800, 1).elements, 0);
    }
}

TEST(TensorParallel, AGridIsASquareOrACube) {
    int squares = 0, cubes = 0;
    for (int ranks = 1; ranks <= 4096; ++ranks) {
        const auto square = gridSide(Grid::Square, ranks), cube = gridSide(Grid::Cube, ranks);
        EXPECT_TRUE(!square || *square * *square == ranks);
        EXPECT_TRUE(!cube || *cube * *cube * *cube == ranks);
        squares += square ? 1 : 0;
        cubes += cube ? 1 : 0;
        EXPECT_EQ(gridSide(Grid::Rows, ranks), ranks);
    }
    EXPECT_EQ(squares, 64);
    EXPECT_EQ(cubes, 16);
}

// The order that is published for 64 GPUs: of the multilayer perceptron and the attention of a transformer, for any
// width and at least as many tokens.
TEST(TensorParallel, MoreAxesSendLessOfATransformerOn64Ranks) {
    for (const double width : {1024.0, 3072.0, 8192.0}) {
        for (const double tokens : {width, 4 * width, 64 * width}) {
            const std::vector<LayerProduct> block{{tokens, width, 3 * width},
                                                  {tokens, width, width},
                                                  {tokens, width, 4 * width},
                                                  {tokens, 4 * width, width}};
            const auto sent = [&](Grid grid) { return tensorParallel(grid, block, 64).step().elements; };
            EXPECT_GT(sent(Grid::Rows), sent(Grid::Square)) << width << ", " << tokens;
            EXPECT_GT(sent(Grid::Square), sent(Grid::Cube)) << width << ", " << tokens;
        }
    }
}

// At least 50 % less than the other ways, published.
TEST(SequenceParallel, SwitchesSendHalfAsMuchAsTheNextBest) {
    for (const int ranks : {2, 8, 64, 128}) {
        const auto sent = [&](Division division) { return sequenceParallel(division, 1e6, ranks).elements; };
        EXPECT_DOUBLE_EQ(sent(Division::Switches), 2e6 * (ranks - 1) / ranks / ranks);
        EXPECT_DOUBLE_EQ(sent(Division::Switches), 0.5 * sent(Division::Heads));
        EXPECT_DOUBLE_EQ(sent(Division::Gathers), 2 * ranks * sent(Division::Heads));
    }
}

}  // namespace
}  // namespace dasgd
