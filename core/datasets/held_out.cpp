#include "core/datasets/held_out.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>

#include "core/base/check.h"

namespace dasgd {

namespace {

// Samples that may be held out, grouped by class and in any order within one: all but one of each class.
at::Tensor candidatesOf(const at::Tensor& drawn, const at::Tensor& classes) {
    const at::Tensor drawnClasses = classes.index_select(0, drawn);
    const at::Tensor order = torch::argsort(drawnClasses, /*stable=*/true, /*dim=*/0);
    const at::Tensor sorted = drawnClasses.index_select(0, order);
    const at::Tensor notFirst = sorted.slice(0, 1).eq(sorted.slice(0, 0, -1));
    return drawn.index_select(0, order).slice(0, 1).masked_select(notFirst);
}

}  // namespace

std::int64_t heldOutCount(std::int64_t count, double fraction) {
    if (count < 2) return 0;
    const auto tests = static_cast<std::int64_t>(std::llround(static_cast<double>(count) * fraction));
    return std::min(std::max<std::int64_t>(tests, 1), count - 1);
}

HeldOut drawHeldOut(std::int64_t count, double fraction, const at::Tensor& classes) {
    DASGD_CHECK(!classes.defined() || classes.size(0) == count);
    constexpr std::uint64_t kSeed = 0;
    const at::Tensor drawn = torch::randperm(count, at::detail::createCPUGenerator(kSeed), torch::kInt64);
    at::Tensor candidates = drawn;
    if (classes.defined() && count > 1) candidates = candidatesOf(drawn, classes);
    if (candidates.numel() == 0) candidates = drawn;  // every sample is in a class of its own
    const std::int64_t there = candidates.numel();
    const std::int64_t tests = std::min(heldOutCount(count, fraction), there);
    at::Tensor isTest = torch::zeros({count}, torch::kBool);
    if (tests > 0) {
        // Positions at equal distances, so that each class gets its share.
        const at::Tensor places = torch::arange(tests, torch::kInt64).mul(2).add(1).mul(there).floor_divide(2 * tests);
        isTest.index_fill_(0, candidates.index_select(0, places), true);
    }
    return {torch::nonzero(isTest.logical_not()).flatten(), torch::nonzero(isTest).flatten()};
}

}  // namespace dasgd
