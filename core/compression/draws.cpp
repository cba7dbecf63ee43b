#include "core/compression/draws.h"

#include <algorithm>
#include <bit>

#include "core/compression/wide_vectors.h"

namespace dasgd {

namespace {

// Words between one of the state and the one that it is renewed with.
constexpr std::size_t kRenewalDistance = 156;

constexpr std::uint64_t renewedWord(std::uint64_t word, std::uint64_t next, std::uint64_t distant) {
    constexpr std::uint64_t kUpper = ~std::uint64_t{0} << 31, kCoefficients = 0xb5026f5aa96619e9;
    const std::uint64_t joined = (word & kUpper) | (next & ~kUpper);
    return distant ^ (joined >> 1) ^ ((0 - (joined & 1)) & kCoefficients);
}

constexpr std::uint64_t temperedWord(std::uint64_t word) {
    word ^= (word >> 29) & 0x5555555555555555;
    word ^= (word << 17) & 0x71d67fffeda60000;
    word ^= (word << 37) & 0xfff7eee000000000;
    return word ^ (word >> 43);
}

// word·2^-53, of at most 53 bits. Processors of 2013 have no vector instruction that converts 64 bits: the halves are
// put into the mantissas of 2^84 and 2^52, which are subtracted again. All steps are exact.
constexpr double unitDraw(std::uint64_t word) {
    const double upper = std::bit_cast<double>((word >> 32) | 0x4530000000000000) - 0x1p84;
    const double lower = std::bit_cast<double>((word & 0xffffffff) | 0x4330000000000000) - 0x1p52;
    return (upper + lower) * 0x1p-53;
}

}  // namespace

Draws::Draws(std::uint64_t seed) {
    state_[0] = seed;
    for (std::size_t i = 1; i < kWords; ++i) {
        state_[i] = 6364136223846793005 * (state_[i - 1] ^ (state_[i - 1] >> 62)) + i;
    }
}

void Draws::renew(double* to) {
    onWidestVectors([state = state_.data(), to] {
        for (std::size_t i = 0; i < kRenewalDistance; ++i)
            state[i] = renewedWord(state[i], state[i + 1], state[i + kRenewalDistance]);
        for (std::size_t i = kRenewalDistance; i < kWords - 1; ++i) {
            state[i] = renewedWord(state[i], state[i + 1], state[i - kRenewalDistance]);
        }
        state[kWords - 1] = renewedWord(state[kWords - 1], state[0], state[kWords - 1 - kRenewalDistance]);
        for (std::size_t i = 0; i < kWords; ++i) to[i] = unitDraw(temperedWord(state[i]) >> 11);
    });
}

void Draws::keepSome() {
    renew(drawn_.data());
    used_ = 0;
}

void Draws::fill(double* to, std::int64_t count) {
    while (count > 0) {
        if (used_ == kWords && count >= static_cast<std::int64_t>(kWords)) {
            renew(to);
            to += kWords;
            count -= kWords;
            continue;
        }
        if (used_ == kWords) keepSome();
        const auto some = std::min<std::int64_t>(count, static_cast<std::int64_t>(kWords - used_));
        to = std::copy_n(drawn_.data() + used_, some, to);
        used_ += static_cast<std::size_t>(some);
        count -= some;
    }
}

}  // namespace dasgd
