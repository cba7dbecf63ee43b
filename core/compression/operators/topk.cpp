// The k = max(1, ⌈ratio·n⌉) numbers that are largest by magnitude, and their places; of equal ones those that come
// first. A contraction by 1 − k/n (Stich et al., arXiv 1809.07599). n is a segment, or with `block` each block of it;
// SparseLoCo (arXiv 2508.15706) sends 64 of 4096 with places of 12 bits. k is exact, as messages have sizes that are
// known beforehand. With value_bits the values are whole numbers and one scale of the k, as those of `int`
// (Qsparse-local-SGD, arXiv 1906.02367).
#include <cmath>
#include <cstring>
#include <vector>

#include "core/compression/compressor.h"
#include "core/compression/operators/largest.h"
#include "core/compression/operators/levels.h"

namespace dasgd {
namespace {

struct TopkParams {
    double ratio = 0.01;
    std::int64_t block = 0;
    std::int64_t valueBits = 0;
    void visit(auto&& f) {
        f(ratio, "ratio", {.min = 0, .max = 1, .minOpen = true, .help = "Share of the numbers that are sent"});
        f(block, "block",
          {.min = 0,
           .max = 1e9,
           .unit = "elements",
           .help = "Numbers among which the largest are chosen; 0: all of the compression's scope"});
        f(valueBits, "value_bits",
          {.min = 0, .max = 16, .unit = "bits", .help = "Bits of a value, 2 to 16; 0: values travel whole"});
    }
    [[nodiscard]] std::optional<FieldError> check() const {
        if (valueBits != 1) return std::nullopt;
        return FieldError{"value_bits", "one bit leaves no level beside the sign: set 0 for whole values, or 2 to 16"};
    }
};

class Topk final : public MessageCompressor {
public:
    explicit Topk(const TopkParams& params)
        : params_(params),
          placeBits_(params.block == 0 ? 8 * static_cast<int>(kPlaceBytes) : widthOf(params.block)),
          levels_((1 << std::max<std::int64_t>(params.valueBits - 1, 1)) - 1),
          code_(levels_) {}
    [[nodiscard]] Properties properties() const override {
        // What is sent is read and written once more.
        return {.feedback = true,
                .sparse = true,
                .rescales = true,
                .gathers = true,
                // Where many are sent, most of the time goes into writing them out.
                .encodePasses = 8 + 110 * params_.ratio,
                .decodePasses = 1.6 + 7 * params_.ratio};
    }
    [[nodiscard]] std::int64_t messageBytes(std::int64_t elements, std::int64_t elementBytes) const override {
        return bytesOfBlocks(elements, params_.block,
                             [&](std::int64_t n) { return placesBytes(n) + valuesBytes(n, elementBytes); });
    }
    void encode(const at::Tensor& x, std::byte* message, Draws&) const override {
        withNumbers(x, [&]<class T>(const T* from) {
            std::vector<T> values;
            forBlocks(x.numel(), params_.block, [&](std::int64_t begin, std::int64_t n) {
                values.clear();
                choose(from + begin, n, message, values);
                message += placesBytes(n);
                putValues(values, message);
                message += valuesBytes(n, sizeof(T));
            });
        });
    }
    void decode(const std::byte* message, double scale, at::Tensor out, Draws&) const override {
        withNumbers(out, [&]<class T>(T* to) {
            std::vector<T> values;
            forBlocks(out.numel(), params_.block, [&](std::int64_t begin, std::int64_t n) {
                BitReader places(message);
                message += placesBytes(n);
                values.assign(static_cast<std::size_t>(countOf(params_.ratio, n)), T{0});
                addValues(message, scale, values);
                message += valuesBytes(n, sizeof(T));
                for (const T value : values) to[begin + places.get(placeBits_)] += value;
            });
        });
    }

private:
    [[nodiscard]] std::int64_t placesBytes(std::int64_t n) const {
        return bytesOfBits(countOf(params_.ratio, n) * placeBits_);
    }
    [[nodiscard]] std::int64_t valuesBytes(std::int64_t n, std::int64_t elementBytes) const {
        const std::int64_t k = countOf(params_.ratio, n);
        return params_.valueBits == 0 ? k * elementBytes : bytesOfBits(k * params_.valueBits) + kScaleBytes;
    }
    // The numbers that are sent in their order, and their places as a message.
    template <class T>
    void choose(const T* x, std::int64_t n, std::byte* message, std::vector<T>& values) const {
        BitWriter places(message);
        forLargest(x, n, countOf(params_.ratio, n), [&](std::int64_t i) {
            places.put(static_cast<std::uint32_t>(i), placeBits_);
            values.push_back(x[i]);
        });
        places.flush();
    }
    template <class T>
    void putValues(const std::vector<T>& values, std::byte* message) const {
        const auto k = static_cast<std::int64_t>(values.size());
        if (params_.valueBits == 0) {
            std::memcpy(message, values.data(), values.size() * sizeof(T));
            return;
        }
        const auto unit = static_cast<float>(static_cast<double>(largestOf(values.data(), k)) / levels_);
        std::memcpy(message, &unit, kScaleBytes);
        code_.encode(values.data(), k, static_cast<T>(unit), nullptr, message + kScaleBytes);
    }
    template <class T>
    void addValues(const std::byte* message, double scale, std::vector<T>& values) const {
        if (params_.valueBits == 0) {
            std::memcpy(values.data(), message, values.size() * sizeof(T));
            for (T& value : values) value *= static_cast<T>(scale);
            return;
        }
        float unit = 0;
        std::memcpy(&unit, message, kScaleBytes);
        code_.decode(message + kScaleBytes, static_cast<std::int64_t>(values.size()), static_cast<T>(scale * unit),
                     values.data());
    }

    TopkParams params_;
    int placeBits_, levels_;
    LevelCode code_;
};

const CompressorRegistry::Add<Topk, TopkParams> kTopkEntry{"topk", "The numbers that are largest by magnitude",
                                                           "arXiv 1809.07599, 2508.15706"};

}  // namespace
}  // namespace dasgd
