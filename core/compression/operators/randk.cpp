// k = max(1, ⌈ratio·n⌉) of the n numbers of a segment, at places that chance chooses, alike on all ranks: what travels
// is k numbers, which are added up on the way. A contraction by 1 − k/n on average; times n/k without bias (Stich et
// al., arXiv 1809.07599).
#include <cmath>
#include <cstring>

#include "core/compression/bits.h"
#include "core/compression/compressor.h"

namespace dasgd {
namespace {

// Passes over a vector's memory that take as long as the choice of places (tests/bench/compression_bench).
constexpr double kRandkChoicePasses = 15.5;

struct RandkParams {
    double ratio = 0.01;
    bool unbiased = false;
    void visit(auto&& f) {
        f(ratio, "ratio", {.min = 0, .max = 1, .minOpen = true, .help = "Share of the numbers that are sent"});
        f(unbiased, "unbiased",
          {.help = "Numbers arrive multiplied by n/k, so that the mean over the draws is the vector"});
    }
};

class Randk final : public MessageCompressor {
public:
    explicit Randk(const RandkParams& params) : params_(params) {}
    [[nodiscard]] Properties properties() const override {
        // What n/k times the numbers leaves behind is larger than the vector, so no error is kept of it by default.
        return {.feedback = !params_.unbiased,
                .sparse = true,
                .rescales = !params_.unbiased,
                .sums = true,
                .encodePasses = kRandkChoicePasses + 2 * params_.ratio,
                .decodePasses = kRandkChoicePasses + 3 * params_.ratio};
    }
    [[nodiscard]] std::int64_t messageBytes(std::int64_t elements, std::int64_t elementBytes) const override {
        return countOf(params_.ratio, elements) * elementBytes;
    }
    void encode(const at::Tensor& x, std::byte* message, Draws& draws) const override {
        withNumbers(x, [&]<class T>(const T* from) {
            const auto take = [&](std::int64_t place) {
                std::memcpy(message, from + place, sizeof(T));
                message += sizeof(T);
            };
            selectDrawn(x.numel(), draws, take);
        });
    }
    void decode(const std::byte* message, double scale, at::Tensor out, Draws& draws) const override {
        withNumbers(out, [&]<class T>(T* to) {
            const std::int64_t n = out.numel(), k = countOf(params_.ratio, n);
            const double whole = params_.unbiased ? static_cast<double>(n) / static_cast<double>(k) : 1;
            const auto factor = static_cast<T>(scale * whole);
            const auto take = [&](std::int64_t place) {
                T number = 0;
                std::memcpy(&number, message, sizeof(T));
                message += sizeof(T);
                to[place] += factor * number;
            };
            selectDrawn(n, draws, take);
        });
    }

private:
    template <class Take>
    void selectDrawn(std::int64_t n, Draws& draws, Take&& take) const {
        onWideVectors([n, k = countOf(params_.ratio, n), &draws, &take] {
            selectPlaces(
                n, k, [&draws](double* u, std::int64_t count) { draws.fill(u, count); }, take);
        });
    }

    RandkParams params_;
};

const CompressorRegistry::Add<Randk, RandkParams> kRandkEntry{
    "randk", "A share of the numbers, at places drawn alike on all ranks", "arXiv 1809.07599"};

}  // namespace
}  // namespace dasgd
