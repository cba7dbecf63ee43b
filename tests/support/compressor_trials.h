// Tests over the registry of compressors hold each that codes messages to what schemes need, with its default fields
// and with these settings. The test of an operator registers its own:
//
//   const CompressorTrial::Add kIntTrial{{.compressor = "int", .fields = {{"bits", integer(3)}}, .what = "3_bits"}};
#pragma once

#include <ATen/Functions.h>

#include <cmath>
#include <cstddef>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/compression/compressor.h"
#include "tests/support/document.h"

namespace dasgd::test {

// Null where the operator is no MessageCompressor.
inline std::unique_ptr<MessageCompressor> compressorOf(const std::string& name, const Fields& fields = {}) {
    auto made = CompressorRegistry::find(name)->create(table(fields), {}).value();
    auto* coding = dynamic_cast<MessageCompressor*>(made.get());
    if (coding) static_cast<void>(made.release());
    return std::unique_ptr<MessageCompressor>(coding);
}

struct CompressorTrial {
    std::string compressor;
    Fields fields = {};
    std::string what = {};  // tells trials of one operator apart
    bool hidesNaN = false;  // the result of a vector that holds NaN may be finite

    [[nodiscard]] std::string name() const { return what.empty() ? compressor : compressor + "_" + what; }
    struct Add {
        explicit Add(CompressorTrial trial) { list().push_back(std::move(trial)); }
    };
    static std::vector<CompressorTrial>& list() {
        static std::vector<CompressorTrial> all;
        return all;
    }
};
inline std::ostream& operator<<(std::ostream& to, const CompressorTrial& trial) { return to << trial.name(); }

inline std::vector<std::byte> encodedBy(const MessageCompressor& compressor, const at::Tensor& x,
                                        std::uint64_t seed = 1) {
    std::vector<std::byte> message(static_cast<std::size_t>(compressor.messageBytes(x.numel(), x.element_size())));
    Draws draws(seed);
    compressor.encode(x, message.data(), draws);
    return message;
}

// C(x).
inline at::Tensor through(const MessageCompressor& compressor, const at::Tensor& x, std::uint64_t seed = 1) {
    const std::vector<std::byte> message = encodedBy(compressor, x, seed);
    at::Tensor out = at::zeros_like(x);
    Draws draws(seed);
    compressor.decode(message.data(), 1, out, draws);
    return out;
}

// A vector of numbers of unequal sizes.
inline at::Tensor randomVector(std::int64_t n, at::ScalarType type, unsigned seed = 1) {
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal(0, 1e-2);
    at::Tensor x = at::zeros({n}, at::kDouble);
    for (std::int64_t i = 0; i < n; ++i) x.data_ptr<double>()[i] = normal(engine);
    return x.to(type);
}

// Vectors that bounds on an operator's error are tried with: random ones, spikes, and equal numbers.
inline std::vector<at::Tensor> vectorsForBounds(std::int64_t n, at::ScalarType type) {
    at::Tensor spikes = randomVector(n, type, 2) * 1e-3;
    spikes[n / 2] = 1;
    spikes[n / 3] = -0.5;
    at::Tensor alternating = at::full({n}, 0.3, type);
    for (std::int64_t i = 0; i < n; i += 2) alternating[i] = -0.3;
    return {randomVector(n, type), spikes, at::full({n}, 0.7, type), alternating, at::zeros({n}, type)};
}

inline double squareOf(const at::Tensor& x) { return x.to(at::kDouble).square().sum().item<double>(); }

// Elements of a contiguous vector.
inline double numberAt(const at::Tensor& x, std::int64_t i) {
    return x.scalar_type() == at::kDouble ? x.data_ptr<double>()[i] : x.data_ptr<float>()[i];
}
inline void setNumber(const at::Tensor& x, std::int64_t i, double number) {
    if (x.scalar_type() == at::kDouble) {
        x.data_ptr<double>()[i] = number;
    } else {
        x.data_ptr<float>()[i] = static_cast<float>(number);
    }
}

}  // namespace dasgd::test
