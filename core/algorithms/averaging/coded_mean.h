// Compressed averages of weights (arXiv 1907.09356, 1906.02367 and others): never the weights themselves are coded,
// whose errors would be in proportion to them, but their differences from the point that all ranks last agreed on:
//
//   x = s − r    m = r + ⟨c⟩    r ← m        c: core/compression/compressed_mean.h, r at first the common start
//
// With r = 0, for sums of gradients, x is what leaves itself. Memory: N for r, beside that of the compressed mean.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/algorithms/averaging/coded_exchange.h"
#include "core/compression/compressed_mean.h"
#include "core/cost/communication_pattern.h"
#include "core/cost/memory/memory_passes.h"

namespace dasgd {

// With a reference: x = s − r is formed; r is copied to where the mean is decoded, and the mean back to it. Without one
// the mean begins with 0.
inline constexpr CodingPasses kCodingOfDifferences{.encode = 3, .decode = 2 * kPassesOfCopy};
inline constexpr CodingPasses kCodingOfSums{.decode = 1};

class CodedMean final : public CodedExchange {
public:
    // `reference`: [N], r at first, of which a copy is kept; undefined: r is 0 and what is averaged are gradients.
    CodedMean(std::shared_ptr<const CompressionSettings> settings, StepContext& context, const at::Tensor& reference);

    [[nodiscard]] bool leavesWhole(std::int64_t step) const override { return step > 0 && step <= start_; }
    void encode(StepContext& context, at::Tensor x) override;
    // Part of the snapshot work, over sentBytes(), after encode(): out ← scale·(r + c), which the others know of this
    // rank; with scheme "gather" or "sum", as "shard" codes what arrives once more.
    void sent(at::Tensor out, double scale);
    void launch(StepContext& context) override {
        mean_.launch(context);
        if (mean_.isFirst()) recordRatio(context, {&mean_});
    }
    void proceed(StepContext& context) override { mean_.proceed(context); }
    void arrive(StepContext& context) override { mean_.arrive(context); }
    void drop(StepContext& context) override { mean_.drop(context); }
    void decode(at::Tensor mean) override;
    void finish() override { mean_.finish(); }
    void agree(const at::Tensor& mean) override;

    [[nodiscard]] std::int64_t encodeBytes() const override;
    [[nodiscard]] std::int64_t sentBytes() const;
    [[nodiscard]] std::int64_t agreeBytes() const override;
    [[nodiscard]] std::int64_t decodeBytes() const override;
    [[nodiscard]] std::uint64_t collective() const override { return mean_.collective(); }
    void save(StepContext& context, Archive& archive) override;
    [[nodiscard]] Status load(const Archive& archive) override;

private:
    [[nodiscard]] const CodingPasses& passes() const {
        return reference_.defined() ? kCodingOfDifferences : kCodingOfSums;
    }

    std::int64_t start_;
    at::Tensor reference_;  // [N], r
    CompressedMean mean_;
};

// Reason why an algorithm that asks for sent() has no formula for its compressed exchanges.
inline constexpr const char* kDecodesItsOwn = "each worker decodes its own messages too, as often as they are sent";

// What an engine answers to CompressesExchanges::checkCompression(): refuses operators that suit gradients alone.
[[nodiscard]] std::optional<FieldError> checkCodedWeights(const CompressionSettings& settings);
// The same for an algorithm, `why` in words, that needs to know what of its own others are sent.
[[nodiscard]] std::optional<FieldError> checkKnowsSent(const CompressionSettings& settings, const std::string& why);

}  // namespace dasgd
