// The operator alone: its rule, its bytes, where decoding is right, and what both ends know.
#include <gmock/gmock.h>
#include <torch/types.h>

#include <bit>
#include <cmath>
#include <limits>

#include "tests/support/compressor_trials.h"

namespace dasgd::test {
namespace {

std::unique_ptr<Compressor> anyLattice(std::int64_t levels, double side) {
    return CompressorRegistry::find("lattice")
        ->create(table({{"levels", integer(levels)}, {"side", number(side)}}), {})
        .value();
}

class CodingLattice {
public:
    CodingLattice(std::int64_t levels, double side)
        : made_(anyLattice(levels, side)), lattice_(dynamic_cast<const PairCompressor&>(*made_)) {}
    [[nodiscard]] const PairCompressor& operator*() const { return lattice_; }
    [[nodiscard]] const PairCompressor* operator->() const { return &lattice_; }
    [[nodiscard]] std::vector<std::byte> message(const at::Tensor& y) const {
        std::vector<std::byte> bytes(static_cast<std::size_t>(lattice_.messageBytes(y.numel())));
        EXPECT_TRUE(lattice_.encode(y, bytes.data()));
        return bytes;
    }
    struct Moved {
        at::Tensor out;
        double distance = 0;
    };
    [[nodiscard]] Moved moved(const at::Tensor& y, const at::Tensor& near, double weight, const at::Tensor& out) const {
        Moved result{out.clone()};
        result.distance = lattice_.approach(message(y).data(), near, weight, result.out);
        return result;
    }

private:
    std::unique_ptr<Compressor> made_;
    const PairCompressor& lattice_;
};

// Of all points whose number leaves the remainder of y's modulo q, the one nearest to `near`; found by trying them.
double pointNear(double near, double y, std::int64_t q, double s) {
    const auto remainder = [q](std::int64_t k) { return ((k % q) + q) % q; };
    const auto code = remainder(std::llround(y / s));
    const std::int64_t middle = std::llround(near / s);
    double best = std::numeric_limits<double>::infinity();
    for (std::int64_t k = middle - q - 1; k <= middle + q + 1; ++k) {
        if (remainder(k) != code) continue;
        const double point = s * static_cast<double>(k);
        if (std::abs(point - near) < std::abs(best - near)) best = point;
    }
    return best;
}

struct LatticeCase {
    std::int64_t levels;
    double side;
};

TEST(Lattice, DecodesToTheNearestPointWithTheBitsThatWereSent) {
    for (const auto& [q, s] : {LatticeCase{4, 0.3}, {8, 0.01}, {256, 0.001}, {1024, 3e-5}}) {
        const CodingLattice lattice(q, s);
        for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
            for (const std::int64_t n : {1, 7, 1023, 1025, 2050}) {
                SCOPED_TRACE(std::to_string(q) + " levels, " + std::to_string(n) + " numbers");
                // Apart by up to three times the range, so that many are taken for others.
                const at::Tensor near = randomVector(n, type), out = randomVector(n, type, 3);
                const at::Tensor y = near + randomVector(n, type, 2) * (100 * static_cast<double>(q) * s);
                const auto [moved, distance] = lattice.moved(y, near, 0.375, out);
                double furthest = 0;
                for (std::int64_t i = 0; i < n; ++i) {
                    const double own = numberAt(near, i), point = pointNear(own, numberAt(y, i), q, s);
                    const double step = 0.375 * (point - s * static_cast<double>(std::llround(own / s)));
                    const double expected = numberAt(out, i) + step;
                    // One rounding of the sum in the vector's type, one of the step, and those of the points here.
                    const double unit = type == at::kFloat ? 6e-8 : 1.2e-16;
                    ASSERT_NEAR(numberAt(moved, i), expected,
                                2 * unit * (std::abs(expected) + std::abs(step)) + 2e-16 * std::abs(point));
                    furthest = std::max(furthest, std::abs(point - own));
                }
                EXPECT_NEAR(distance, furthest, 1e-12 * furthest);
                EXPECT_LE(distance, static_cast<double>(q) * s / 2 * (1 + 1e-12)) << "beyond that nothing is decoded";
            }
        }
    }
}

// algorithms.md C5: right to half a side up to (q−1)·s/2, and not beyond.
TEST(Lattice, IsRightWithinItsRangeAndWrapsSilentlyBeyond) {
    constexpr double kSide = 0.5, kRange = 7 * kSide / 2;
    const CodingLattice lattice(8, kSide);
    const at::Tensor near = randomVector(400, at::kDouble) * 100;
    const auto decoded = [&](const at::Tensor& y) {
        // near + C(y) − C(near), with C(near) known to half a side.
        const at::Tensor ownPoint = torch::round(near / kSide) * kSide;
        return lattice.moved(y, near, 1, near).out - near + ownPoint;
    };
    for (const double share : {-0.999, -0.5, 0.0, 0.7, 0.999}) {
        const at::Tensor y = near + share * kRange;
        EXPECT_LE((decoded(y) - y).abs().max().item<double>(), kSide / 2 + 1e-12);
    }
    const at::Tensor far = near + kRange + kSide;
    EXPECT_GT((decoded(far) - far).abs().max().item<double>(), 7 * kSide);
    EXPECT_DOUBLE_EQ(lattice->reach(), kRange / 2);
}

// Up to the range nobody moves further than the other, whatever the weights are.
TEST(Lattice, MovesBothEndsByTheSameNumber) {
    for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
        const CodingLattice lattice(256, 0.0037);
        const at::Tensor x = randomVector(3000, type) * 40, zero = at::zeros_like(x);
        const at::Tensor y = x + randomVector(3000, type, 4) * 10;
        const at::Tensor there = lattice.moved(y, x, 0.5, zero).out, back = lattice.moved(x, y, 0.5, zero).out;
        EXPECT_TRUE(there.equal(-back));
        EXPECT_GT(there.abs().max().item<double>(), 0.05);
    }
}

TEST(Lattice, MovesWhatItIsReadWith) {
    for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
        const CodingLattice lattice(64, 0.01);
        const at::Tensor near = randomVector(2050, type), y = randomVector(2050, type, 2);
        const at::Tensor expected = lattice.moved(y, near, 0.5, near).out;
        at::Tensor inPlace = near.clone();
        lattice->approach(lattice.message(y).data(), inPlace, 0.5, inPlace);
        EXPECT_TRUE(inPlace.equal(expected));
    }
}

TEST(Lattice, SendsTheBitsOfItsLevels) {
    const std::pair<std::int64_t, std::int64_t> widths[] = {{4, 2}, {8, 3}, {16, 4}, {256, 8}, {4096, 12}, {65536, 16}};
    for (const auto& [levels, width] : widths) {
        const CodingLattice lattice(levels, 0.1);
        for (const std::int64_t n : {1, 7, 8, 1024, 1025, 5000}) {
            EXPECT_EQ(lattice->messageBytes(n), (n * width + 7) / 8);
            constexpr std::byte kBefore{0xA5};
            std::vector<std::byte> guarded(static_cast<std::size_t>(lattice->messageBytes(n)) + 16, kBefore);
            const at::Tensor y = randomVector(n, at::kDouble);
            ASSERT_TRUE(lattice->encode(y, guarded.data() + 8));
            const std::vector<std::byte> written(guarded.begin() + 8, guarded.end() - 8);
            EXPECT_EQ(written, lattice.message(y)) << "all of it is written";
            for (std::size_t i = 0; i < 8; ++i) {
                EXPECT_EQ(guarded[i], kBefore);
                EXPECT_EQ(guarded[guarded.size() - 1 - i], kBefore);
            }
        }
    }
}

TEST(Lattice, SaysOfWhichNumbersItHasNoCode) {
    const CodingLattice lattice(256, 0.001);
    const double infinity = std::numeric_limits<double>::infinity();
    std::vector<std::byte> message(2000);
    for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
        for (const double bad : {std::nan(""), infinity, -infinity, 1e30, -1e30}) {
            at::Tensor y = randomVector(1500, type);
            y[1400] = bad;
            EXPECT_FALSE(lattice->encode(y, message.data())) << bad;
        }
        for (const double good : {0.0, -0.0, 1e-30, 1e9, -1e9}) {
            at::Tensor y = randomVector(1500, type);
            y[3] = good;
            EXPECT_TRUE(lattice->encode(y, message.data())) << good;
        }
    }
}

TEST(Lattice, RefusesLevelsThatAreNoPowerOfTwo) {
    const auto made = CompressorRegistry::find("lattice")->create(table({{"levels", integer(200)}}), {});
    ASSERT_FALSE(made);
    EXPECT_THAT(made.error().message, testing::HasSubstr("levels is 200, which is no power of 2: choose 128 or 256"));
    EXPECT_FALSE(CompressorRegistry::find("lattice")->create(table({{"levels", integer(2)}}), {}));
    EXPECT_FALSE(CompressorRegistry::find("lattice")->create(table({{"side", number(0)}}), {}));
}

}  // namespace
}  // namespace dasgd::test
