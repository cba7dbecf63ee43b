// QSGD (Alistarh et al., arXiv 1610.02132): norm·sign(x)·ℓ/s with ℓ = ⌊s·|x|/norm + u⌋, of each block. With draws it is
// unbiased, and E‖C(x) − x‖² <= min(n/s², √n/s)·‖x‖² for n numbers a block and the norm l2. Codes have a fixed width;
// the paper's Elias codes have none that both ends know beforehand. Norms are sums in double, in the order of the
// numbers.
//
// A block that holds NaN or infinity arrives as NaN.
#include <cmath>
#include <cstring>
#include <string>

#include "core/compression/compressor.h"
#include "core/compression/operators/levels.h"

namespace dasgd {
namespace {

struct QsgdParams {
    std::int64_t levels = 7;
    std::int64_t block = 512;
    std::string norm = "l2";
    std::string rounding = "stochastic";
    void visit(auto&& f) {
        f(levels, "levels", {.min = 1, .max = 32767, .symbol = "s", .help = "Levels above 0"});
        f(block, "block",
          {.min = 0,
           .max = 1e9,
           .unit = "elements",
           .help = "Numbers that share a norm; 0: all of the compression's scope"});
        f(norm, "norm",
          {.help = "Size that the highest level stands for: l2, the root of the sum of x²; max, the largest |x|",
           .choices = {"l2", "max"}});
        f(rounding, "rounding",
          {.help = "Up or down by chance so that the mean is kept, or to the nearest",
           .choices = {"stochastic", "nearest"}});
    }
};

class Qsgd final : public MessageCompressor {
public:
    explicit Qsgd(const QsgdParams& params) : params_(params), code_(params.levels) {}
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
                const float norm = normOf(from + begin, n);
                std::memcpy(message, &norm, kScaleBytes);
                code_.encode(from + begin, n, static_cast<T>(unitOf(norm)), isStochastic() ? &draws : nullptr,
                             message + kScaleBytes);
                message += blockBytes(n);
            });
        });
    }
    void decode(const std::byte* message, double scale, at::Tensor out, Draws&) const override {
        withNumbers(out, [&]<class T>(T* to) {
            forBlocks(out.numel(), params_.block, [&](std::int64_t begin, std::int64_t n) {
                float norm = 0;
                std::memcpy(&norm, message, kScaleBytes);
                code_.decode(message + kScaleBytes, n, static_cast<T>(scale * unitOf(norm)), to + begin);
                message += blockBytes(n);
            });
        });
    }

private:
    [[nodiscard]] bool isStochastic() const { return params_.rounding == "stochastic"; }
    [[nodiscard]] std::int64_t blockBytes(std::int64_t n) const { return code_.bytes(n) + kScaleBytes; }
    [[nodiscard]] double unitOf(float norm) const {
        return static_cast<double>(norm) / static_cast<double>(params_.levels);
    }
    template <class T>
    [[nodiscard]] float normOf(const T* x, std::int64_t n) const {
        if (params_.norm == "max") return static_cast<float>(largestOf(x, n));
        double sum = 0;
        onWideVectors([&sum, x, n] { sum = sumOf(x, n, [](double v) { return v * v; }); });
        return static_cast<float>(std::sqrt(sum));
    }

    QsgdParams params_;
    LevelCode code_;
};

const CompressorRegistry::Add<Qsgd, QsgdParams> kQsgdEntry{"qsgd", "A sign and one of a few levels of a block's norm",
                                                           "arXiv 1610.02132"};

}  // namespace
}  // namespace dasgd
