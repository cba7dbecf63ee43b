// The text of the kernels, compiled as C++ and run thread by thread on the CPU, against the operators of the CPU.
#include "core/gpu/flat_kernels.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/gpu/flat_ops.h"

namespace dasgd::test {
namespace {

namespace on_cpu {

// Names that the kernels' language has beyond C++.
#define __device__
#define __global__ [[maybe_unused]]
#define __grid_constant__
struct Place {
    unsigned x = 0;
};
Place gridDim, blockDim, blockIdx, threadIdx;
float __uint_as_float(unsigned bits) { return std::bit_cast<float>(bits); }
unsigned __float_as_uint(float value) { return std::bit_cast<unsigned>(value); }
using std::fma;

#define DASGD_SOURCE(...) __VA_ARGS__
#include "core/gpu/flat_kernels.inc"

}  // namespace on_cpu

template <class F>
void onEveryThread(unsigned blocks, unsigned threads, F&& kernel) {
    on_cpu::gridDim.x = blocks;
    on_cpu::blockDim.x = threads;
    for (on_cpu::blockIdx.x = 0; on_cpu::blockIdx.x < blocks; ++on_cpu::blockIdx.x) {
        for (on_cpu::threadIdx.x = 0; on_cpu::threadIdx.x < threads; ++on_cpu::threadIdx.x) kernel();
    }
}

// A flat tensor with a mark behind its end, which no kernel may touch. Aligned for packs.
class Flat {
public:
    Flat(std::int64_t size, std::uint64_t seed, at::ScalarType type) {
        at::Generator random = at::detail::createCPUGenerator(seed);
        whole_ = at::randn({size + 1}, random, type);
        whole_[size].fill_(kMark);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(whole_.data_ptr()) % kPackBytes, 0U);
    }
    Flat(const Flat& other) : whole_(other.whole_.clone()) {}
    Flat& operator=(const Flat&) = delete;

    [[nodiscard]] at::Tensor tensor() const { return whole_.narrow(0, 0, whole_.numel() - 1); }
    template <class S>
    [[nodiscard]] S* data() const {
        return static_cast<S*>(whole_.data_ptr());
    }
    [[nodiscard]] bool isWhole() const { return whole_[whole_.numel() - 1].item<double>() == kMark; }

private:
    static constexpr double kMark = 4096;
    at::Tensor whole_;
};

template <class S>
constexpr at::ScalarType kType = at::kFloat;
template <>
constexpr at::ScalarType kType<double> = at::kDouble;
template <>
constexpr at::ScalarType kType<unsigned short> = at::kBFloat16;

// Tolerance for arithmetic whose last bit depends on how the CPU's operators were compiled; these round bfloat16 after
// each operator.
template <class S>
constexpr double kTolerance = sizeof(S) == 8   ? 1e-14
                              : sizeof(S) == 4 ? 1e-6
                                               : 0.05;

template <class S>
void expectClose(const Flat& found, const Flat& expected) {
    EXPECT_TRUE(at::allclose(found.tensor(), expected.tensor(), kTolerance<S>, kTolerance<S>))
        << (found.tensor() - expected.tensor()).abs().max().template item<double>();
    EXPECT_TRUE(found.isWhole());
}

constexpr std::int64_t kSizes[] = {0, 1, 3, 8, 1001};

template <class S>
class FlatKernelsTest : public testing::Test {
protected:
    static constexpr int kWide = kPackBytes / sizeof(S);
    static Flat flat(std::int64_t size, std::uint64_t seed) { return Flat(size, seed, kType<S>); }
};
using StoredTypes = testing::Types<float, double, unsigned short>;
TYPED_TEST_SUITE(FlatKernelsTest, StoredTypes);

TYPED_TEST(FlatKernelsTest, MergesAsTheOperatorDoes) {
    using S = TypeParam;
    constexpr int kWide = TestFixture::kWide;
    for (const auto& [xi, c] : {std::pair{0.0, 0.0}, {0.25, 0.0}, {0.75, 0.0}, {0.0, 1.0}, {0.25, 1.0}, {0.25, 0.5}}) {
        for (const std::int64_t size : kSizes) {
            const Flat mean = this->flat(size, 2), snapshot = this->flat(size, 3);
            const Flat expected = this->flat(size, 1), packs(expected), singles(expected);
            S* copy = c > 0 ? snapshot.template data<S>() : nullptr;
            onEveryThread(3, 32, [&, xi = xi, c = c] {
                on_cpu::merge<S, kWide>(packs.data<S>(), mean.data<S>(), copy, size, xi, c);
            });
            onEveryThread(1, 7, [&, xi = xi, c = c] {
                on_cpu::merge<S, 1>(singles.data<S>(), mean.data<S>(), copy, size, xi, c);
            });
            EXPECT_TRUE(at::equal(packs.tensor(), singles.tensor()));
            mergeFlat(expected.tensor(), mean.tensor().clone(), snapshot.tensor(), xi, c);
            expectClose<S>(packs, expected);
            if (xi == 0 && c == 0) {
                EXPECT_TRUE(at::equal(packs.tensor(), mean.tensor()));
            }
        }
    }
}

// Addends as a launch passes them: pointers of any type, with their number behind them.
static_assert(std::extent_v<decltype(on_cpu::Addends<float>::of)> == kMostAddends);
static_assert(offsetof(on_cpu::Addends<float>, count) == kMostAddends * sizeof(void*));
template <class S>
on_cpu::Addends<S> addends(const std::vector<Flat>& tensors) {
    on_cpu::Addends<S> all{};
    for (const Flat& tensor : tensors) all.of[all.count++] = tensor.template data<S>();
    return all;
}
std::vector<at::Tensor> tensorsOf(const std::vector<Flat>& all) {
    std::vector<at::Tensor> tensors;
    for (const Flat& flat : all) tensors.push_back(flat.tensor());
    return tensors;
}

TYPED_TEST(FlatKernelsTest, MergesWhatIsAddedUpFirst) {
    using S = TypeParam;
    constexpr int kWide = TestFixture::kWide;
    for (const auto& [xi, c] : {std::pair{0.0, 0.0}, {0.25, 0.0}, {0.0, 1.0}, {0.25, 0.5}}) {
        for (const std::int64_t size : kSizes) {
            const Flat mean = this->flat(size, 2), snapshot = this->flat(size, 3);
            const std::vector<Flat> parts{this->flat(size, 4), this->flat(size, 5)};
            const Flat expected = this->flat(size, 1), packs(expected), singles(expected);
            S* copy = c > 0 ? snapshot.template data<S>() : nullptr;
            onEveryThread(3, 32, [&, xi = xi, c = c] {
                on_cpu::mergeOfParts<S, kWide>(packs.data<S>(), mean.data<S>(), copy, size, addends<S>(parts), xi, c);
            });
            onEveryThread(1, 7, [&, xi = xi, c = c] {
                on_cpu::mergeOfParts<S, 1>(singles.data<S>(), mean.data<S>(), copy, size, addends<S>(parts), xi, c);
            });
            EXPECT_TRUE(at::equal(packs.tensor(), singles.tensor()));
            mergeFlat(expected.tensor(), mean.tensor().clone(), snapshot.tensor(), xi, c, tensorsOf(parts));
            expectClose<S>(packs, expected);
        }
    }
}

TYPED_TEST(FlatKernelsTest, AddUp) {
    using S = TypeParam;
    constexpr int kWide = TestFixture::kWide;
    for (const std::int64_t size : kSizes) {
        for (const std::size_t count : {0, 1, 5}) {
            std::vector<Flat> more;
            for (std::size_t j = 0; j < count; ++j) more.push_back(this->flat(size, j + 3));
            // The result replaces the first addend.
            const Flat first = this->flat(size, 1), copy = this->flat(size, 2), expected(first), singles(first);
            std::vector<at::Tensor> all = tensorsOf(more);
            all.insert(all.begin(), expected.tensor());
            const Flat expectedCopy(copy);
            onEveryThread(1, 7, [&] {
                S* to = singles.data<S>();
                on_cpu::sum<S, 1>(to, to, nullptr, size, addends<S>(more), 1.0 / 3, 0.7);
            });
            onEveryThread(3, 32, [&] {
                S* to = first.data<S>();
                on_cpu::sum<S, kWide>(to, to, copy.data<S>(), size, addends<S>(more), 1.0 / 3, 0.7);
            });
            EXPECT_TRUE(at::equal(first.tensor(), singles.tensor()));
            sumFlat(all, {.out = expected.tensor(), .scale = 1.0 / 3, .divisor = 0.7, .copy = expectedCopy.tensor()});
            expectClose<S>(first, expected);
            expectClose<S>(copy, expectedCopy);
        }
    }
}

TYPED_TEST(FlatKernelsTest, EqualReplicasStayEqualToTheLastBit) {
    using S = TypeParam;
    const Flat before = this->flat(1001, 1), snapshot = this->flat(1001, 2), weights(before);
    onEveryThread(2, 32, [&] {
        on_cpu::merge<S, TestFixture::kWide>(weights.data<S>(), snapshot.data<S>(), snapshot.data<S>(), 1001, 0.25, 1);
    });
    EXPECT_TRUE(at::equal(weights.tensor(), before.tensor()));
}

TYPED_TEST(FlatKernelsTest, TakesSnapshots) {
    using S = TypeParam;
    for (const std::int64_t size : kSizes) {
        const Flat weights = this->flat(size, 1), out = this->flat(size, 2), copy = this->flat(size, 3), expected(out);
        onEveryThread(3, 32, [&] {
            on_cpu::snapshot<S, TestFixture::kWide>(weights.data<S>(), out.data<S>(), copy.data<S>(), size, 1.0 / 3);
        });
        snapshotFlat(weights.tensor(), expected.tensor(), {}, 1.0 / 3);
        expectClose<S>(out, expected);
        EXPECT_TRUE(at::equal(copy.tensor(), weights.tensor()));
        EXPECT_TRUE(copy.isWhole());
        onEveryThread(3, 32,
                      [&] { on_cpu::snapshot<S, 1>(weights.data<S>(), weights.data<S>(), nullptr, size, 1.0 / 3); });
        EXPECT_TRUE(at::equal(weights.tensor(), out.tensor())) << "in place";
    }
}

TYPED_TEST(FlatKernelsTest, Combines) {
    using S = TypeParam;
    constexpr int kWide = TestFixture::kWide;
    for (const std::int64_t size : kSizes) {
        for (const std::size_t count : {1, 2, 4}) {
            for (const bool hasBase : {false, true}) {
                std::vector<Flat> x;
                std::vector<FlatTerm> terms;
                S* pointers[4] = {};
                for (std::size_t j = 0; j < count; ++j) x.push_back(this->flat(size, j + 1));
                for (std::size_t j = 0; j < count; ++j) {
                    pointers[j] = x[j].template data<S>();
                    terms.push_back({x[j].tensor(), j == 0 ? 1 : -0.5});
                }
                const Flat out = this->flat(size, 7), copy = this->flat(size, 8), singles(out), base(out);
                const auto run = [&]<int wide>(const Flat& to) {
                    on_cpu::combine<S, wide>(pointers[0], pointers[1], pointers[2], pointers[3], to.template data<S>(),
                                             copy.template data<S>(), hasBase ? to.template data<S>() : nullptr, size,
                                             1, -0.5, -0.5, -0.5, 1.0 / 3, -0.9);
                };
                onEveryThread(3, 32, [&] { run.template operator()<kWide>(out); });
                onEveryThread(1, 7, [&] { run.template operator()<1>(singles); });
                EXPECT_TRUE(at::equal(out.tensor(), singles.tensor()));
                const Flat expectedCopy(copy);
                combineFlat(terms, {.out = base.tensor(),
                                    .scale = 1.0 / 3,
                                    .copy = expectedCopy.tensor(),
                                    .base = hasBase ? base.tensor() : at::Tensor(),
                                    .share = -0.9});
                expectClose<S>(out, base);
                expectClose<S>(copy, expectedCopy);
            }
        }
    }
}

TYPED_TEST(FlatKernelsTest, CombineInPlace) {
    using S = TypeParam;
    const Flat slow = this->flat(1001, 1), out = this->flat(1001, 2), weights = this->flat(1001, 3);
    const Flat expectedSlow(slow), expected(out);
    onEveryThread(3, 32, [&] {
        on_cpu::combine<S, TestFixture::kWide>(slow.data<S>(), out.data<S>(), weights.data<S>(), nullptr, out.data<S>(),
                                               slow.data<S>(), out.data<S>(), 1001, 0.7, 1, -1, 0, 0.3, -0.9);
    });
    combineFlat({{expectedSlow.tensor(), 0.7}, {expected.tensor()}, {weights.tensor(), -1}},
                {.out = expected.tensor(),
                 .scale = 0.3,
                 .copy = expectedSlow.tensor(),
                 .base = expected.tensor(),
                 .share = -0.9});
    expectClose<S>(out, expected);
    expectClose<S>(slow, expectedSlow);
}

TYPED_TEST(FlatKernelsTest, ReadAndWriteAtPlaces) {
    using S = TypeParam;
    constexpr int kWide = TestFixture::kWide;
    for (const std::int64_t size : kSizes) {
        const Flat weights = this->flat(2 * size + 1, 1), expectedWeights(weights);
        const Flat out = this->flat(size, 2), copy = this->flat(size, 3), expected(out), expectedCopy(copy);
        const at::Tensor places = at::arange(1, 2 * size + 1, 2, at::kLong);
        // LibTorch's and the kernels' have the same width.
        auto* at = reinterpret_cast<long long*>(places.data_ptr<std::int64_t>());
        onEveryThread(3, 32, [&] {
            on_cpu::snapshotAt<S, kWide>(weights.data<S>(), at, out.data<S>(), copy.data<S>(), size, 1.0 / 3);
        });
        snapshotFlatAt(weights.tensor(), places, expected.tensor(), expectedCopy.tensor(), 1.0 / 3);
        expectClose<S>(out, expected);
        EXPECT_TRUE(at::equal(copy.tensor(), expectedCopy.tensor()));
        EXPECT_TRUE(copy.isWhole());
        onEveryThread(3, 32,
                      [&] { on_cpu::mergeAt<S, kWide>(weights.data<S>(), at, out.data<S>(), copy.data<S>(), size); });
        mergeFlatAt(expectedWeights.tensor(), places, out.tensor().clone(), copy.tensor());
        expectClose<S>(weights, expectedWeights);
        onEveryThread(3, 32,
                      [&] { on_cpu::mergeAt<S, 1>(weights.data<S>(), at, copy.data<S>(), copy.data<S>(), size); });
        expectClose<S>(weights, expectedWeights);
    }
}

const std::vector<OuterStep> kOuterSteps{OuterStep{.learningRate = 0.7, .momentum = 0.9, .nesterov = true},
                                         OuterStep{.momentum = 0.5, .penalty = 3, .clip = 0.2},
                                         OuterStep{.learningRate = 0.7, .momentum = 0.9, .localWeight = 0.5}};

TYPED_TEST(FlatKernelsTest, MakesOuterStepsToTheMean) {
    using S = TypeParam;
    for (const OuterStep& step : kOuterSteps) {
        for (const bool hasVelocity : {false, true}) {
            const std::int64_t size = 1001;
            const Flat outer = this->flat(size, 1), velocity = this->flat(size, 2), mean = this->flat(size, 3);
            const Flat weights = this->flat(size, 4);
            const Flat expected(outer), expectedVelocity(velocity), expectedWeights(weights);
            onEveryThread(3, 32, [&] {
                on_cpu::outerStepToMean<S, TestFixture::kWide>(
                    outer.data<S>(), mean.data<S>(), hasVelocity ? velocity.data<S>() : nullptr, weights.data<S>(),
                    size, step.learningRate, step.momentum, step.penalty, step.clip, step.nesterov, step.localWeight);
            });
            outerStepToMeanFlat(expected.tensor(), mean.tensor().clone(),
                                hasVelocity ? expectedVelocity.tensor() : at::Tensor(), expectedWeights.tensor(), step);
            expectClose<S>(outer, expected);
            expectClose<S>(velocity, expectedVelocity);
            expectClose<S>(weights, expectedWeights);
        }
    }
}

TYPED_TEST(FlatKernelsTest, MakesOuterStepsOneRoundLate) {
    using S = TypeParam;
    for (const OuterStep& step : kOuterSteps) {
        for (int setting = 0; setting < 16; ++setting) {
            const bool hasVelocity = setting & 1, none = setting & 2, fromPresent = setting & 4, eager = setting & 8;
            const std::int64_t size = 1001;
            const Flat outer = this->flat(size, 1), velocity = this->flat(size, 2), mean = this->flat(size, 3);
            const Flat weights = this->flat(size, 4), own = this->flat(size, 5);
            const Flat expected(outer), expectedVelocity(velocity), expectedMean(mean), expectedWeights(weights);
            const Flat expectedOwn(own);
            onEveryThread(3, 32, [&] {
                on_cpu::outerStepLate<S, TestFixture::kWide>(
                    outer.data<S>(), mean.data<S>(), hasVelocity ? velocity.data<S>() : nullptr, weights.data<S>(),
                    eager ? own.data<S>() : nullptr, size, step.learningRate, step.momentum, step.penalty, step.clip,
                    step.nesterov, none, fromPresent, 1.0 / 3);
            });
            outerStepLateFlat(expected.tensor(), expectedMean.tensor(),
                              hasVelocity ? expectedVelocity.tensor() : at::Tensor(), expectedWeights.tensor(), step,
                              {.none = none,
                               .fromPresent = fromPresent,
                               .share = 1.0 / 3,
                               .own = eager ? expectedOwn.tensor() : at::Tensor()});
            expectClose<S>(outer, expected);
            expectClose<S>(velocity, expectedVelocity);
            EXPECT_TRUE(at::equal(weights.tensor(), outer.tensor()) && weights.isWhole());
            expectClose<S>(mean, expectedMean);
            EXPECT_TRUE(at::equal(own.tensor(), eager ? mean.tensor() : expectedOwn.tensor()) && own.isWhole());
        }
    }
}

TEST(FlatKernels, RoundAsLibTorchDoes) {
    const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
    std::vector<float> values{0.0F, -0.0F, 1.0F, 1.00390625F, 1.01171875F, 3.3e38F, -3.4e38F, 1e-40F, inf, -inf, nan};
    at::Generator random = at::detail::createCPUGenerator(1);
    const at::Tensor more = at::randn({1000}, random, at::kFloat);
    values.insert(values.end(), more.data_ptr<float>(), more.data_ptr<float>() + more.numel());
    for (const float value : values) {
        unsigned short stored = 0;
        on_cpu::store(stored, value);
        EXPECT_EQ(stored, c10::BFloat16(value).x) << value;
        if (!std::isnan(value)) {
            EXPECT_EQ(on_cpu::loaded(stored), static_cast<float>(c10::BFloat16(value))) << value;
        }
    }
}

}  // namespace
}  // namespace dasgd::test
