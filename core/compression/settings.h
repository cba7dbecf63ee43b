// The section [compression]: an operator, and what is the same for all of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/schema/fields.h"
#include "core/compression/compressor.h"

namespace dasgd {

// Name of the section's operator where nothing is compressed.
inline constexpr std::string_view kNoCompression = "none";

struct CompressionParams {
    bool errorFeedback = false;  // the operator's own default stands in Compressor::Properties
    double errorDecay = 1;       // β, 0 < β <= 1
    bool rescaleError = false;   // likewise
    // gather   every rank sends its message to all and adds up all messages in the order of the ranks
    // shard    every rank is sent its part of the vector by all, averages it, and sends the mean, coded again, to all
    // sum      an all-reduce of the messages
    std::string scheme = "auto";
    std::int64_t start = 0;        // exchanges that leave in the first `start` steps travel whole
    std::string scope = "tensor";  // an operator's scale, k or norm is of each parameter, or of the whole model
    void visit(auto&& f) {
        f(errorFeedback, "error_feedback",
          {.help = "What an operator did not send is added to what the next exchange sends"});
        f(errorDecay, "error_decay",
          {.min = 0, .max = 1, .minOpen = true, .symbol = "β", .help = "Factor of what was not sent, by exchange"});
        f(rescaleError, "rescale_error",
          {.help = "What was not sent of gradients is multiplied by the old learning rate divided by the new one"});
        f(scheme, "scheme",
          {.help =
               "gather: each worker's message goes to all others; shard: the parts of the vector are averaged by "
               "one worker each and coded again; sum: messages are added up on the way; auto: what suits the operator",
           .choices = {"auto", "sum", "gather", "shard"}});
        f(start, "start", {.min = 0, .max = 1e15, .unit = "steps", .help = "First steps whose exchanges travel whole"});
        f(scope, "scope",
          {.help =
               "What shares one scale, norm or number of places: each parameter tensor, or all weights of the model",
           .choices = {"tensor", "model"}});
    }
};

struct CompressionSettings {
    std::string name;  // of the operator
    std::shared_ptr<const Compressor> compressor;
    CompressionParams params;  // with the scheme that "auto" stands for
};

// Replaces "auto", and refuses what the operator does not read. Errors name a field of the section.
[[nodiscard]] std::optional<FieldError> settleScheme(const Compressor& compressor, CompressionParams& params);

}  // namespace dasgd
