// The upper three bytes of each number in single precision; made by tests/bench/add_one_of_each.sh.
#include <bit>
#include <cstring>

#include "core/compression/compressor.h"

namespace dasgd {
namespace {

constexpr std::int64_t kExtraBytes = 3;

class ExtraCompressor final : public MessageCompressor {
public:
    explicit ExtraCompressor(const NoParams&) {}
    [[nodiscard]] Properties properties() const override { return {}; }
    [[nodiscard]] std::int64_t messageBytes(std::int64_t elements, std::int64_t) const override {
        return kExtraBytes * elements;
    }
    void encode(const at::Tensor& x, std::byte* message, Draws&) const override {
        withNumbers(x, [&](const auto* from) {
            for (std::int64_t i = 0; i < x.numel(); ++i) {
                const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(from[i])) >> 8;
                std::memcpy(message + kExtraBytes * i, &bits, kExtraBytes);
            }
        });
    }
    void decode(const std::byte* message, double scale, at::Tensor out, Draws&) const override {
        withNumbers(out, [&]<class T>(T* to) {
            for (std::int64_t i = 0; i < out.numel(); ++i) {
                std::uint32_t bits = 0;
                std::memcpy(&bits, message + kExtraBytes * i, kExtraBytes);
                to[i] += static_cast<T>(scale) * static_cast<T>(std::bit_cast<float>(bits << 8));
            }
        });
    }
};

const CompressorRegistry::Add<ExtraCompressor> kExtraCompressorEntry{"extra_compressor", "Numbers of three bytes"};

}  // namespace
}  // namespace dasgd
