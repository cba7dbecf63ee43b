// One bit a number and one scale a segment: C(x) = scale·(+1 where x >= 0, else −1).
//
// scale l1: ‖x‖₁/n, as EF-SignSGD (Karimireddy et al., arXiv 1901.09847) has it, a contraction with error feedback;
// l2: ‖x‖₂/√n, as DeepSpeed's 1-bit Adam (deepspeed/runtime/comm/nccl.py), which is none where few numbers are large;
// one: 1. With `vote` (signSGD with majority vote, arXiv 1810.05291) the result is the sign of the sum of all ranks'
// signs, 0 where they are even. Norms are sums in double, in the order of the numbers.
#include <cmath>
#include <cstring>
#include <string>

#include "core/compression/bits.h"
#include "core/compression/compressor.h"
#include "core/cost/memory/memory_passes.h"

namespace dasgd {
namespace {

struct SignParams {
    std::string scale = "l1";
    bool vote = false;
    void visit(auto&& f) {
        f(scale, "scale",
          {.help = "Size of every number that arrives: l1, the mean of |x|; l2, the root of the mean of x²; one, 1",
           .choices = {"l1", "l2", "one"}});
        f(vote, "vote", {.help = "The sign of the sum over all workers, in place of the mean; with scale = \"one\""});
    }
    [[nodiscard]] std::optional<FieldError> check() const {
        if (!vote || scale == "one") return std::nullopt;
        return FieldError{"vote", "vote = true sends signs alone: set scale = \"one\""};
    }
};

class Sign final : public MessageCompressor {
public:
    explicit Sign(const SignParams& params) : params_(params) {}
    [[nodiscard]] Properties properties() const override {
        return {.feedback = !params_.vote,
                .rescales = !params_.vote,
                .gathers = params_.vote,
                .votes = params_.vote,
                .encodePasses = kPassesOfPutSigns,
                .decodePasses = kPassesOfAddedSigns};
    }
    [[nodiscard]] std::int64_t messageBytes(std::int64_t elements, std::int64_t) const override {
        return bytesOfBits(elements) + (params_.vote ? 0 : kScaleBytes);
    }
    void encode(const at::Tensor& x, std::byte* message, Draws&) const override {
        withNumbers(x, [&](const auto* from) {
            const std::int64_t n = x.numel();
            std::byte* const bits = message + (params_.vote ? 0 : kScaleBytes);
            EightSums sums;
            for (std::int64_t begin = 0; begin < n; begin += kChunk) {
                onWideVectors(
                    [this, &sums, from = from + begin, size = std::min(kChunk, n - begin), to = bits + begin / 8] {
                        putSigns(from, size, to);
                        if (params_.scale == "l1") sums.add(from, size, [](double v) { return std::abs(v); });
                        if (params_.scale == "l2") sums.add(from, size, [](double v) { return v * v; });
                    });
            }
            if (params_.vote) return;
            const double mean = sums.total() / static_cast<double>(n);
            const double size = params_.scale == "one" ? 1 : params_.scale == "l1" ? mean : std::sqrt(mean);
            const auto scale = static_cast<float>(size);
            std::memcpy(message, &scale, kScaleBytes);
        });
    }
    void decode(const std::byte* message, double scale, at::Tensor out, Draws&) const override {
        double size = 1;
        if (!params_.vote) {
            float sent = 0;
            std::memcpy(&sent, message, kScaleBytes);
            size = sent;
            message += kScaleBytes;
        }
        withNumbers(out, [&]<class T>(T* to) {
            onWideVectors([to, message, n = out.numel(), step = static_cast<T>(scale * size)] {
                using Bits = decltype(magnitudeBits(T{}));
                const auto add = [to, of = std::bit_cast<Bits>(step)](std::int64_t i, unsigned eight, int j) {
                    const Bits negative = static_cast<Bits>(~eight >> j) << (8 * sizeof(T) - 1);
                    to[i + j] += std::bit_cast<T>(of ^ negative);
                };
                std::int64_t i = 0;
                for (; i + 8 <= n; i += 8) {
                    for (int j = 0; j < 8; ++j) add(i, static_cast<unsigned>(message[i / 8]), j);
                }
                for (int j = 0; i + j < n; ++j) add(i, static_cast<unsigned>(message[i / 8]), j);
            });
        });
    }

private:
    // At most kChunk numbers.
    template <class T>
    static void putSigns(const T* x, std::int64_t n, std::byte* to) {
        std::uint8_t signs[kChunk];
        for (std::int64_t i = 0; i < n; ++i) signs[i] = x[i] >= 0 ? 1 : 0;
        std::fill(signs + n, signs + 8 * bytesOfBits(n), std::uint8_t{0});
        for (std::int64_t i = 0; i < n; i += 8) {
            std::uint64_t eight = 0;
            std::memcpy(&eight, signs + i, 8);
            // The product's uppermost byte has byte j's bit at j, on processors whose lowest byte comes first.
            to[i / 8] = static_cast<std::byte>((eight * 0x0102040810204080) >> 56);
        }
    }

    SignParams params_;
};

const CompressorRegistry::Add<Sign, SignParams> kSignEntry{"sign", "The sign of each number and one scale",
                                                           "arXiv 1901.09847, 1810.05291"};

}  // namespace
}  // namespace dasgd
