// Operators of [compression]: how the mean of one vector of each rank is formed from fewer bytes. An operator is made
// of its fields alone; what is kept between two exchanges belongs to the exchange (compressed_mean.h). One .cpp each,
// registered by its last line.
//
// Most operators code a vector as a message and back (MessageCompressor), which travels by one of the schemes in
// schemes/. The others bring a scheme of their own.
//
// Messages have sizes that are known before the data is, as both ends of a collective have to know them. Everything
// is computed on the host.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/registry.h"
#include "core/compression/draws.h"

namespace dasgd {

class ExchangeScheme;
struct ExchangeView;

class Compressor {
public:
    // Facts about an operator with its fields set.
    struct Properties {
        bool feedback = false;  // the default of error_feedback
        bool rescales = false;  // the default of rescale_error
        bool gathers = false;   // scheme "auto" is "gather"; otherwise "shard", or "sum" where it sums
        // What travels is numbers that are added up on the way, and all ranks draw alike. Scheme "sum" alone is
        // possible.
        bool sums = false;
        bool votes = false;  // the result is the sign of the sum in place of the mean
        // Makes a scheme that is no other's, over vectors that it divides itself: `scheme` and `scope` are not read.
        bool ownScheme = false;
        // Keeps what was not sent, and a momentum, itself: for gradients alone, beside an optimiser without momentum.
        bool ownMomentum = false;
        bool warmsUp = false;  // messages of the first epochs have other sizes than those after them
        // Passes over the memory of the vector: a number read or written is one.
        double encodePasses = 2, decodePasses = 2;
    };

    virtual ~Compressor() = default;
    [[nodiscard]] virtual Properties properties() const = 0;
    // Refuses a model: `shapes` of its parameters. Errors name the operator's own fields. Default: accepts.
    [[nodiscard]] virtual std::optional<FieldError> check(
        const std::vector<std::vector<std::int64_t>>& /*shapes*/) const {
        return std::nullopt;
    }
    // Makes one exchange of the kind that repeats. `compressor` is this operator.
    [[nodiscard]] virtual std::unique_ptr<ExchangeScheme> makeScheme(const ExchangeView& view) const = 0;
};

using CompressorRegistry = Registry<Compressor>;

// Operators whose result is that of one rank's vector alone: C(x). Pure functions of the vector and of draws that a key
// determines.
class MessageCompressor : public Compressor {
public:
    // Bytes of the message of a vector, whose numbers have `elementBytes` each.
    [[nodiscard]] virtual std::int64_t messageBytes(std::int64_t elements, std::int64_t elementBytes) const = 0;
    // Codes `x`, [n] of float32 or float64, n > 0, into messageBytes() bytes. Of an operator that sums, the message is
    // numbers of the type of `x`.
    virtual void encode(const at::Tensor& x, std::byte* message, Draws& draws) const = 0;
    // out ← out + scale·C(x). Only an operator that sums draws here; its `draws` begin as those of encode() did.
    virtual void decode(const std::byte* message, double scale, at::Tensor out, Draws& draws) const = 0;

    [[nodiscard]] std::unique_ptr<ExchangeScheme> makeScheme(const ExchangeView& view) const final;
};

// Calls `f` with a pointer to the numbers of `x`, of type float* or double*. `x` is contiguous and on the host.
template <class F>
void withNumbers(const at::Tensor& x, F&& f) {
    if (x.scalar_type() == at::kDouble) {
        f(x.data_ptr<double>());
    } else {
        f(x.data_ptr<float>());
    }
}

}  // namespace dasgd
