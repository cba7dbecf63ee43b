// Products and sequences that ranks divide among themselves, really made over a communicator: what they compute, what
// they send and how long that takes, against core/cost/tensor_parallel.h. The engine trains with neither; `dasgd advise
// --tensor` prints the formulas.
#include <gmock/gmock.h>
#include <torch/types.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/cost/tensor_parallel.h"
#include "tests/support/ranks.h"
#include "tests/support/sim/virtual_cluster.h"

namespace dasgd::test {
namespace {

const LinkCost kIdleLink{.alpha = kLatency, .beta = 1 / kBytesPerSecond};
constexpr double kItem = 8;  // bytes of a float64

// A block of which each rank along an axis has a part of the rows.
at::Tensor gathered(Communicator& axis, const at::Tensor& part) {
    at::Tensor all = torch::empty({axis.size(), part.size(0), part.size(1)}, part.options());
    Pending gather = axis.allGather(part, all);
    gather.wait();
    return all.flatten(0, 1);
}
// The rank's part of the rows of a block of which each rank along an axis has a summand.
at::Tensor scattered(Communicator& axis, const at::Tensor& block) {
    const at::Tensor rows = block.view({axis.size(), block.size(0) / axis.size(), block.size(1)}).contiguous();
    at::Tensor part = torch::empty({rows.size(1), rows.size(2)}, block.options());
    Pending scatter = axis.reduceScatter(rows, part, Reduce::Sum);
    scatter.wait();
    return part;
}

// Rank (i, j, l) of q × q × q. It has part j of the rows of block (i, l) of X, part i of block (l, j) of W and part l
// of block (i, j) of Y.
class Cube {
public:
    static constexpr int kSide = 2, kRanks = 8;

    explicit Cube(Communicator& comm) {
        for (int r = comm.rank().value(), axis = 2; axis >= 0; --axis, r /= kSide) place_[axis] = r % kSide;
        for (int axis = 0; axis < 3; ++axis) {
            std::vector<Rank> line;
            for (int at = 0; at < kSide; ++at) {
                std::array<int, 3> other = place_;
                other[static_cast<std::size_t>(axis)] = at;
                line.emplace_back((other[0] * kSide + other[1]) * kSide + other[2]);
            }
            lines_.push_back(comm.split(line));
        }
    }
    // The rank's part of a matrix whose blocks lie along two axes, and the parts of a block along the third.
    [[nodiscard]] at::Tensor part(const at::Tensor& whole, int rowAxis, int columnAxis, int partAxis) const {
        const at::Tensor block = whole.chunk(kSide, 0)[at(rowAxis)].chunk(kSide, 1)[at(columnAxis)];
        return block.chunk(kSide, 0)[at(partAxis)].contiguous();
    }
    [[nodiscard]] Communicator& line(int axis) { return *lines_[static_cast<std::size_t>(axis)]; }

private:
    [[nodiscard]] std::size_t at(int axis) const {
        return static_cast<std::size_t>(place_[static_cast<std::size_t>(axis)]);
    }

    std::array<int, 3> place_{};
    std::vector<std::unique_ptr<Communicator>> lines_;  // through this rank, along i, j and l
};

// A forward and a backward pass of Y = XW on eight ranks; `timed` gets the seconds since the start after each.
void checkCube(Communicator& comm, Clock& clock, const std::function<void(double forward, double step)>& timed) {
    constexpr std::int64_t kRows = 12, kInputs = 8, kOutputs = 20;
    const at::Tensor x = torch::arange(kRows * kInputs, torch::kFloat64).sin().view({kRows, kInputs});
    const at::Tensor w = torch::arange(kInputs * kOutputs, torch::kFloat64).cos().view({kInputs, kOutputs});
    const at::Tensor dy = torch::arange(kRows * kOutputs, torch::kFloat64).mul(0.7).sin().view({kRows, kOutputs});
    constexpr int kI = 0, kJ = 1, kL = 2;
    Cube cube(comm);
    const std::int64_t sent = comm.bytesSent();
    const Ns begun = clock.now();
    const auto since = [&] { return seconds(clock.now() - begun); };

    const at::Tensor ownX = gathered(cube.line(kJ), cube.part(x, kI, kL, kJ));
    const at::Tensor ownW = gathered(cube.line(kI), cube.part(w, kL, kJ, kI));
    const at::Tensor y = scattered(cube.line(kL), torch::matmul(ownX, ownW));
    const double forward = since();
    const std::vector<LayerProduct> layer{{kRows, kInputs, kOutputs}};
    const PassVolumes expected = tensorParallel(TensorGrid::Cube, layer, Cube::kRanks);
    EXPECT_EQ(static_cast<double>(comm.bytesSent() - sent), kItem * expected.forward.elements);

    const at::Tensor ownDy = gathered(cube.line(kL), cube.part(dy, kI, kJ, kL));
    const at::Tensor dx = scattered(cube.line(kJ), torch::matmul(ownDy, ownW.t()));
    const at::Tensor dw = scattered(cube.line(kI), torch::matmul(ownX.t(), ownDy));
    timed(forward, since());
    EXPECT_EQ(static_cast<double>(comm.bytesSent() - sent), kItem * expected.step().elements);

    EXPECT_TRUE(y.allclose(cube.part(torch::matmul(x, w), kI, kJ, kL), 1e-12, 1e-12));
    EXPECT_TRUE(dx.allclose(cube.part(torch::matmul(dy, w.t()), kI, kL, kJ), 1e-12, 1e-12));
    EXPECT_TRUE(dw.allclose(cube.part(torch::matmul(x.t(), dy), kL, kJ, kI), 1e-12, 1e-12));
}

TEST(TensorProduct, OnACubeOfRanksIsThePlainProductAndSendsItsFormula) {
    for (const Backend backend : {Backend::Threads, Backend::Gloo}) {
        runRanks(backend, Cube::kRanks,
                 [](Communicator& comm, Clock& clock) { checkCube(comm, clock, [](double, double) {}); });
    }
}

TEST(TensorProductInSimulatedTime, OnACubeOfRanksTakesTheTimeOfItsFormula) {
    const std::vector<LayerProduct> layer{{12, 8, 20}};
    const PassVolumes volumes = tensorParallel(TensorGrid::Cube, layer, Cube::kRanks);
    int ranks = 0;
    onVirtualCluster("star", gigabit(), {.ranks = Cube::kRanks}, [&](VirtualRank& rank) {
        checkCube(rank.comm, rank.clock, [&](double forward, double step) {
            EXPECT_NEAR(forward, volumes.forward.seconds(kIdleLink, kItem), 1e-8);
            EXPECT_NEAR(step, volumes.step().seconds(kIdleLink, kItem), 1e-8);
        });
        ++ranks;
    });
    EXPECT_EQ(ranks, Cube::kRanks);
}

// Activations [s, t, h] of which every rank has a part of s go over to parts of t.
at::Tensor switchedToSecond(Communicator& comm, const at::Tensor& own) {
    const std::int64_t ranks = comm.size(), first = own.size(0), second = own.size(1) / ranks, width = own.size(2);
    const at::Tensor leaves = own.view({first, ranks, second, width}).transpose(0, 1).contiguous();
    at::Tensor arrives = torch::empty_like(leaves);
    Pending exchange = comm.allToAll(leaves, arrives);
    exchange.wait();
    return arrives.flatten(0, 1);
}
at::Tensor switchedToFirst(Communicator& comm, const at::Tensor& own) {
    return switchedToSecond(comm, own.transpose(0, 1).contiguous()).transpose(0, 1).contiguous();
}

void checkSwitch(Communicator& comm, Clock& clock, const std::function<void(double)>& timed) {
    const std::int64_t ranks = comm.size(), first = 3 * ranks, second = 2 * ranks, width = 5;
    const at::Tensor whole = torch::arange(first * second * width, torch::kFloat64).view({first, second, width});
    const auto place = static_cast<std::size_t>(comm.rank().value());
    const at::Tensor own = whole.chunk(ranks, 0)[place].contiguous();
    const SentVolume both =
        sequenceParallel(SequenceDivision::Switches, static_cast<double>(whole.numel()), comm.size());
    const std::int64_t sent = comm.bytesSent();
    const Ns begun = clock.now();
    const at::Tensor other = switchedToSecond(comm, own);
    EXPECT_EQ(static_cast<double>(comm.bytesSent() - sent), kItem * both.elements / 2) << "M(P−1)/P²";
    const at::Tensor back = switchedToFirst(comm, other);
    timed(seconds(clock.now() - begun));
    EXPECT_EQ(static_cast<double>(comm.bytesSent() - sent), kItem * both.elements);
    EXPECT_TRUE(other.equal(whole.chunk(ranks, 1)[place]));
    EXPECT_TRUE(back.equal(own)) << "two switches are none";
}

TEST(SequenceSwitch, TwiceIsNoneAndSendsItsFormula) {
    for (const Backend backend : {Backend::Threads, Backend::Gloo}) {
        for (const int ranks : {1, 2, 4, 7}) {
            runRanks(backend, ranks, [](Communicator& comm, Clock& clock) { checkSwitch(comm, clock, [](double) {}); });
        }
    }
}

TEST(SequenceSwitchInSimulatedTime, TakesTheTimeOfItsFormula) {
    constexpr int kRanks = 8;
    const double elements = 3.0 * kRanks * 2 * kRanks * 5;
    const SentVolume both = sequenceParallel(SequenceDivision::Switches, elements, kRanks);
    onVirtualCluster("star", gigabit(), {.ranks = kRanks}, [&](VirtualRank& rank) {
        checkSwitch(rank.comm, rank.clock,
                    [&](double took) { EXPECT_NEAR(took, both.seconds(kIdleLink, kItem), 1e-8); });
    });
}

}  // namespace
}  // namespace dasgd::test
