// Messages of a compressed exchange: their sizes, and the bytes that they put on the wire beside those of an exchange
// that travels whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/compression/settings.h"
#include "core/cost/compressed_exchange.h"

namespace dasgd {

// Model of a run, as far as it determines messages.
struct SentModel {
    std::vector<std::vector<std::int64_t>> shapes;  // of the parameters, in order of registration
    std::int64_t elementBytes = 4;
    int ranks = 1;
};

// One exchange of all weights as one vector on the CPU. Its passes are those of the operator, and of the error's.
[[nodiscard]] CompressedExchange compressedExchange(const CompressionSettings& settings, const SentModel& model);
// Bytes that the average rank sends in one exchange of all weights, all stages together: m(P−1) by gather, 2m(P−1)/P by
// sum, and by shard (P−1)/P of all parts' messages and P−1 times its own part's.
[[nodiscard]] double sentBytes(const CompressionSettings& settings, const SentModel& model);
// 2S(P−1)/P, of a ring all-reduce.
[[nodiscard]] double sentWhole(const SentModel& model);
// Sentence for settings that send at least as much as no compression, with the remedy; nullopt where they send less.
[[nodiscard]] std::optional<std::string> sendsTooMuch(const CompressionSettings& settings, const SentModel& model);

}  // namespace dasgd
