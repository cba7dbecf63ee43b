// Scatter of step times. All distributions have mean 1 and are drawn by our own inverse transforms from mt19937_64,
// whose stream the standard fixes: the same seed gives the same times everywhere.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace dasgd {

//  none            1
//  normal(s)       max(0, 1 + s·Z) ÷ its mean, which is Φ(1/s) + s·φ(1/s): 1 up to s = 0.1, 1.08 for s = 1
//  lognormal(s)    exp(s·Z − s²/2)
//  exponential(t)  1 − t + t·E, the shifted exponential: a part that never shrinks and a tail of mean t
//  samples         drawn from a measured distribution: its quantiles, with straight lines between them, ÷ their mean
struct JitterSpec {
    enum class Kind : std::uint8_t { None, Normal, Lognormal, Exponential, Samples };
    Kind kind = Kind::None;
    double spread = 0;
    std::vector<double> quantiles;  // for Samples: ascending from the smallest to the largest, above 0; at least two
    // Errors: another name, a spread below 0 (for exponential: above 1).
    static Result<JitterSpec> parse(const std::string& text);
    // Standard deviation of a factor.
    [[nodiscard]] double deviation() const;
};

class Jitter {
public:
    // Streams of different ranks are independent.
    Jitter(const JitterSpec& spec, std::uint64_t seed, int rank);
    // The factor of the next step.
    [[nodiscard]] double next();
    // Uniform in (0, 1), from the same stream.
    [[nodiscard]] double uniform();

private:
    JitterSpec spec_;
    std::mt19937_64 bits_;
};

}  // namespace dasgd
