// One rank's exchanges of weights that are coded for one partner each (PairCompressor). With x the rank's own weights
// and y the partner's, each moves by the difference of what both know:
//
//   x ← x + ω·(C(y) − C(x))        y ← y + ω·(C(x) − C(y))
//
// A rank knows C of its own weights as the partner does, while they are nearer than the operator's reach. So the sum of
// the pair changes by the rounding of two additions alone, whatever is lost in coding, and the two end up about a
// rounding error of C apart. The mean of C(x) and C(y) in place of both, as in programs of SwarmSGD, would make them
// equal, and round away local steps that are smaller than that error.
//
// Memory: a message for each exchange.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

#include "core/compression/settings.h"
#include "core/step/step_context.h"

namespace dasgd {

class PairCoder {
public:
    // `settings` are of a PairCompressor; `context` lives longer.
    PairCoder(std::shared_ptr<const CompressionSettings> settings, StepContext& context);

    [[nodiscard]] std::int64_t messageBytes() const { return compressor_.messageBytes(elements_); }
    // A tensor for a message, uint8 [m], of any values.
    [[nodiscard]] at::Tensor makeMessage() const;

    // Codes `x`, [N]. Throws std::runtime_error, with rank and step, where it holds NaN, infinity or a number that is
    // too large.
    void encode(const at::Tensor& x, const at::Tensor& message);
    // out ← out + weight·(C(y) − C(near)) of the weights y in `message`. `near`, [N], is what the rank itself sent in
    // this exchange; `out` may be `near`. Throws std::runtime_error, with rank, step, distance and remedy, where the
    // two are further apart than the operator's reach.
    void approach(const at::Tensor& message, const at::Tensor& near, double weight, at::Tensor out);

    // Passes over the weights' memory of each.
    [[nodiscard]] double encodePasses() const { return compressor_.properties().encodePasses; }
    [[nodiscard]] double decodePasses() const { return compressor_.properties().decodePasses; }
    // Records how large a message is beside the weights.
    void recordRatio() const;

private:
    std::shared_ptr<const CompressionSettings> settings_;
    const PairCompressor& compressor_;
    StepContext& context_;
    std::int64_t elements_;
};

// Refuses common fields that have no meaning for pairs. Errors name a field of [compression].
[[nodiscard]] std::optional<FieldError> checkPairSettings(const CompressionSettings& settings);

}  // namespace dasgd
