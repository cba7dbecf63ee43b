// What schemes need of every operator that codes messages, over the registry.
#include "core/compression/compressor.h"

#include <gmock/gmock.h>

#include <limits>

#include "core/compression/coder.h"
#include "tests/support/compressor_trials.h"

namespace dasgd::test {
namespace {

const CompressorTrial::Add kSignVoteTrial{{.compressor = "sign",
                                           .fields = {{"vote", boolean(true)}, {"scale", text("one")}},
                                           .what = "vote",
                                           .hidesNaN = true}};
const CompressorTrial::Add kSignRootTrial{{.compressor = "sign", .fields = {{"scale", text("l2")}}, .what = "l2"}};

std::vector<CompressorTrial> allTrials() {
    std::vector<CompressorTrial> all = CompressorTrial::list();
    for (const std::string& name : CompressorRegistry::names()) {
        if (compressorOf(name)) all.push_back({.compressor = name, .hidesNaN = name == "randk"});
    }
    return all;
}

constexpr std::int64_t kSizes[] = {1, 2, 7, 8, 9, 63, 511, 512, 513, 1024, 1025, 2048, 2051, 4097};
constexpr at::ScalarType kTypes[] = {at::kFloat, at::kDouble};
constexpr std::size_t kGuard = 64;

// A message between two rows of bytes that nobody writes.
struct GuardedMessage {
    GuardedMessage(const MessageCompressor& compressor, const at::Tensor& x, std::byte before, std::size_t offset = 0)
        : bytes(2 * kGuard + static_cast<std::size_t>(compressor.messageBytes(x.numel(), x.element_size())), before),
          begin(kGuard + offset) {
        bytes.resize(bytes.size() + offset, before);
        Draws draws(3);
        compressor.encode(x, data(), draws);
    }
    [[nodiscard]] std::byte* data() { return bytes.data() + begin; }
    [[nodiscard]] std::vector<std::byte> message() const {
        return {bytes.begin() + static_cast<std::ptrdiff_t>(begin), bytes.end() - kGuard};
    }
    [[nodiscard]] bool guardsHold(std::byte before) const {
        const auto isAsBefore = [before](std::byte byte) { return byte == before; };
        return std::all_of(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(begin), isAsBefore) &&
               std::all_of(bytes.end() - kGuard, bytes.end(), isAsBefore);
    }

    std::vector<std::byte> bytes;
    std::size_t begin;
};

class EveryCompressor : public ::testing::TestWithParam<CompressorTrial> {
protected:
    const std::unique_ptr<MessageCompressor> compressor_ = compressorOf(GetParam().compressor, GetParam().fields);

    // Calls `look` with vectors of all sizes and types.
    static void withVectors(const std::function<void(const at::Tensor&)>& look) {
        for (const at::ScalarType type : kTypes) {
            for (const std::int64_t n : kSizes) {
                SCOPED_TRACE(std::to_string(n) + (type == at::kFloat ? " of float32" : " of float64"));
                look(randomVector(n, type));
            }
        }
    }
    // out + scale·C(x).
    [[nodiscard]] at::Tensor added(const std::vector<std::byte>& message, double scale, const at::Tensor& out) const {
        at::Tensor sum = out.clone();
        Draws draws(1);
        compressor_->decode(message.data(), scale, sum, draws);
        return sum;
    }
};

TEST_P(EveryCompressor, WritesItsMessageWholeAndNothingElse) {
    withVectors([&](const at::Tensor& x) {
        const std::size_t offset = compressor_->properties().sums ? 0 : 3;
        GuardedMessage first(*compressor_, x, std::byte{0xAB}), second(*compressor_, x, std::byte{0x54}, offset);
        EXPECT_TRUE(first.guardsHold(std::byte{0xAB}));
        EXPECT_TRUE(second.guardsHold(std::byte{0x54}));
        EXPECT_EQ(first.message(), second.message()) << "some bits are those of the memory before";
    });
}

TEST_P(EveryCompressor, AddsWhatItDecodes) {
    withVectors([&](const at::Tensor& x) {
        const auto message = encodedBy(*compressor_, x);
        const at::Tensor zeros = at::zeros_like(x), y = randomVector(x.numel(), x.scalar_type(), 5);
        const at::Tensor c = added(message, 1, zeros);
        EXPECT_TRUE(added(message, 4, zeros).equal(4 * c));
        EXPECT_TRUE(added(message, 0.3, y).equal(y + added(message, 0.3, zeros)));
        EXPECT_TRUE(added(message, 0.3, zeros).allclose(0.3 * c, 1e-6, 0));
    });
}

TEST_P(EveryCompressor, LeavesBehindExactlyWhatItDoesNotSend) {
    withVectors([&](const at::Tensor& p) {
        const auto message = encodedBy(*compressor_, p);
        EXPECT_TRUE(added(message, -1, p).equal(p - through(*compressor_, p)));
    });
}

TEST_P(EveryCompressor, IsAFunctionOfTheVectorAndTheDraws) {
    withVectors([&](const at::Tensor& x) {
        const auto message = encodedBy(*compressor_, x, 7);
        static_cast<void>(encodedBy(*compressor_, x * 2, 8));
        EXPECT_EQ(encodedBy(*compressor_, x, 7), message);
    });
}

TEST_P(EveryCompressor, CodesZeroAsZero) {
    if (compressor_->properties().votes) return;  // a sign alone is no 0
    withVectors(
        [&](const at::Tensor& x) { EXPECT_TRUE(through(*compressor_, at::zeros_like(x)).equal(at::zeros_like(x))); });
}

TEST_P(EveryCompressor, SurvivesNumbersAtTheEndOfTheRange) {
    for (const at::ScalarType type : kTypes) {
        const double tiny =
            type == at::kFloat ? std::numeric_limits<float>::denorm_min() : std::numeric_limits<double>::denorm_min();
        const double huge = type == at::kFloat ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
        for (const double number : {tiny, 5 * tiny, 1000 * tiny, huge, HUGE_VAL, std::nan("")}) {
            for (const std::int64_t n : kSizes) {
                SCOPED_TRACE(std::to_string(number) + " among " + std::to_string(n));
                at::Tensor x = randomVector(n, type) * (number < 1 ? 1e3 * number : 1);
                x[n / 2] = number;
                GuardedMessage message(*compressor_, x, std::byte{0xAB});
                EXPECT_TRUE(message.guardsHold(std::byte{0xAB}));
                at::Tensor out = at::zeros({n + 2}, type);
                Draws draws(3);
                compressor_->decode(message.data(), 1, out.narrow(0, 1, n), draws);
                EXPECT_EQ(numberAt(out, 0), 0);
                EXPECT_EQ(numberAt(out, n + 1), 0);
                const bool isFinite = std::isfinite(out.sum().item<double>());
                EXPECT_TRUE(isFinite || !(number < 1));
                EXPECT_FALSE(isFinite && std::isnan(number) && !GetParam().hidesNaN) << "training has to see it";
            }
        }
    }
}

TEST_P(EveryCompressor, CodesSegmentsAtOddPlacesOneByOne) {
    const std::vector<Segment> segments{{1, 5}, {6, 1}, {9, 600}, {700, 513}, {1213, 2050}};
    for (const at::ScalarType type : kTypes) {
        const at::Tensor x = randomVector(3270, type);
        const Coder coder(*compressor_, segments, x.element_size());
        at::Tensor message = at::zeros({coder.messageBytes()}, at::kByte), out = at::ones_like(x);
        Draws encoding(1), decoding(1);
        coder.encode(x, message, encoding);
        coder.decode(message, 1, out, decoding);

        at::Tensor expected = at::ones_like(x);
        Draws all(1), again(1);
        std::int64_t bytes = 0;
        for (const Segment& segment : segments) {
            const at::Tensor part = x.narrow(0, segment.offset, segment.elements).clone();
            std::vector<std::byte> own(
                static_cast<std::size_t>(compressor_->messageBytes(segment.elements, x.element_size())));
            compressor_->encode(part, own.data(), all);
            compressor_->decode(own.data(), 1, expected.narrow(0, segment.offset, segment.elements), again);
            bytes += std::ssize(own);
        }
        EXPECT_EQ(coder.messageBytes(), bytes);
        EXPECT_TRUE(out.equal(expected));
    }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryCompressor, ::testing::ValuesIn(allTrials()),
                         [](const auto& info) { return info.param.name(); });

}  // namespace
}  // namespace dasgd::test
