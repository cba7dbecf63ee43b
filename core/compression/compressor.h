// Operators of [compression]: how the mean of one vector of each rank is formed from fewer bytes. An operator is made
// of its fields alone; what is kept between two exchanges belongs to the exchange (compressed_mean.h). One .cpp each,
// registered by its last line.
//
// Most operators code a vector as a message and back (MessageCompressor), which travels by one of the schemes in
// schemes/. The others bring a scheme of their own, or code for pairs of ranks (PairCompressor).
//
// Messages have sizes that are known before the data is, as both ends of a collective have to know them. Everything
// is computed on the host.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/schema/registry.h"
#include "core/compression/draws.h"

namespace dasgd {

class ExchangeScheme;
struct ExchangeView;

class Compressor {
public:
    // Facts about an operator with its fields set.
    struct Properties {
        bool feedback = false;  // the default of error_feedback
        bool sparse = false;    // sends a few of the numbers, and 0 for the others
        bool rescales = false;  // the default of rescale_error
        bool gathers = false;   // scheme "auto" is "gather"; otherwise "shard", or "sum" where it sums
        // What travels is numbers that are added up on the way, and all ranks draw alike. Scheme "sum" alone is
        // possible.
        bool sums = false;
        bool votes = false;  // the result is the sign of the sum in place of the mean
        // Makes a scheme that is no other's, over vectors that it divides itself: `scheme` and `scope` are not read.
        bool ownScheme = false;
        // Keeps what was not sent itself, and a momentum where it has one: for gradients alone, beside an optimiser
        // without momentum.
        bool ownMomentum = false;
        bool warmsUp = false;  // messages of the first epochs have other sizes than those after them
        // A PairCompressor.
        bool forPairs = false;
        // Passes over the memory of the vector that take as long, of which a copy makes two: by compression_bench, as
        // the counts of numbers read and written promise up to three times the speed.
        double encodePasses = 2, decodePasses = 2;
    };

    virtual ~Compressor() = default;
    [[nodiscard]] virtual Properties properties() const = 0;
    // Refuses a model: `shapes` of its parameters. Errors name the operator's own fields. Default: accepts.
    [[nodiscard]] virtual std::optional<FieldError> check(
        const std::vector<std::vector<std::int64_t>>& /*shapes*/) const {
        return std::nullopt;
    }
    // Makes one exchange of the kind that repeats. Null where the operator forms no means, but codes for pairs.
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

// Operators whose messages only a rank can read that has nearly the same vector: for exchanges of pairs (pair_coder.h).
// Pure functions.
class PairCompressor : public Compressor {
public:
    // Bytes of the message of a vector.
    [[nodiscard]] virtual std::int64_t messageBytes(std::int64_t elements) const = 0;
    // Codes `x`, [n] of float32 or float64, into messageBytes() bytes. False where it holds a number that cannot be
    // coded, as NaN: the message then stands for nothing.
    [[nodiscard]] virtual bool encode(const at::Tensor& x, std::byte* message) const = 0;
    // out ← out + weight·(C(y) − C(near)) of the vector y that `message` was made of, with C(y) as `near` completes it,
    // and C(near) as encode() took it. `near` can be coded, and may be `out`. Returns the largest |C(y) − near|.
    [[nodiscard]] virtual double approach(const std::byte* message, const at::Tensor& near, double weight,
                                          at::Tensor out) const = 0;
    // The largest |C(y) − near| at which C(y) can be taken to be that of y.
    [[nodiscard]] virtual double reach() const = 0;

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
