// Whole numbers of `bits` bits and one scale a block: q·s with s = max|x| / (2^(bits − 1) − 1), as torchft's int8
// all-reduce, whose blocks are rows, has it. Rounding by draws is unbiased; rounding to the nearest is not, and halves
// the largest error.
//
// A block that holds NaN or infinity arrives as NaN.
#include <cstring>
#include <string>

#include "core/compression/compressor.h"
#include "core/compression/operators/levels.h"

namespace dasgd {
namespace {

struct IntParams {
    std::int64_t bits = 8;
    std::int64_t block = 2048;
    std::string rounding = "nearest";
    void visit(auto&& f) {
        f(bits, "bits", {.min = 2, .max = 8, .help = "Bits of a number, sign included"});
        f(block, "block",
          {.min = 0,
           .max = 1e9,
           .unit = "elements",
           .help = "Numbers that share a scale; 0: all of the compression's scope"});
        f(rounding, "rounding",
          {.help = "To the nearest, or up or down by chance so that the mean is kept",
           .choices = {"nearest", "stochastic"}});
    }
};

class Int final : public MessageCompressor {
public:
    explicit Int(const IntParams& params) : params_(params), levels_((1 << (params.bits - 1)) - 1), code_(levels_) {}
    [[nodiscard]] Properties properties() const override {
        return {.encodePasses = code_.encodePasses() + (isStochastic() ? kPassesOfADraw : 0),
                .decodePasses = code_.decodePasses()};
    }
    [[nodiscard]] std::int64_t messageBytes(std::int64_t elements, std::int64_t) const override {
        return bytesOfBlocks(elements, params_.block, [this](std::int64_t n) { return blockBytes(n); });
    }
    void encode(const at::Tensor& x, std::byte* message, Draws& draws) const override {
        withNumbers(x, [&]<class T>(const T* from) {
            forBlocks(x.numel(), params_.block, [&](std::int64_t begin, std::int64_t n) {
                const auto scale = static_cast<float>(static_cast<double>(largestOf(from + begin, n)) / levels_);
                std::memcpy(message, &scale, kScaleBytes);
                code_.encode(from + begin, n, static_cast<T>(scale), isStochastic() ? &draws : nullptr,
                             message + kScaleBytes);
                message += blockBytes(n);
            });
        });
    }
    void decode(const std::byte* message, double scale, at::Tensor out, Draws&) const override {
        withNumbers(out, [&]<class T>(T* to) {
            forBlocks(out.numel(), params_.block, [&](std::int64_t begin, std::int64_t n) {
                float unit = 0;
                std::memcpy(&unit, message, kScaleBytes);
                code_.decode(message + kScaleBytes, n, static_cast<T>(scale * unit), to + begin);
                message += blockBytes(n);
            });
        });
    }

private:
    [[nodiscard]] bool isStochastic() const { return params_.rounding == "stochastic"; }
    [[nodiscard]] std::int64_t blockBytes(std::int64_t n) const { return code_.bytes(n) + kScaleBytes; }

    IntParams params_;
    int levels_;
    LevelCode code_;
};

const CompressorRegistry::Add<Int, IntParams> kIntEntry{"int", "Whole numbers of 2 to 8 bits and a scale a block"};

}  // namespace
}  // namespace dasgd
