#include "core/compression/settings.h"

namespace dasgd {

std::optional<FieldError> settleScheme(const Compressor& compressor, CompressionParams& params) {
    const Compressor::Properties properties = compressor.properties();
    const std::string suits = properties.sums ? "sum" : properties.gathers ? "gather" : "shard";
    if (params.scheme == "auto") params.scheme = suits;
    if (properties.sums != (params.scheme == "sum")) {
        return FieldError{"scheme", properties.sums ? "messages of this operator are added up on the way: set scheme = "
                                                      "\"sum\", or leave scheme out"
                                                    : "messages of this operator cannot be added up: set scheme = "
                                                      "\"gather\" or \"shard\", or leave scheme out"};
    }
    if (properties.ownScheme && params.scheme != suits) {
        return FieldError{"scheme", "messages of this operator travel in one way: set scheme = \"" + suits +
                                        "\", or leave scheme out"};
    }
    if (properties.ownScheme && params.scope != "tensor") {
        return FieldError{"scope", "this operator divides the weights by a rule of its own: leave scope out"};
    }
    if (properties.ownMomentum && params.errorFeedback) {
        return FieldError{"error_feedback",
                          "this operator keeps what it did not send by itself: leave error_feedback out"};
    }
    if (properties.votes && params.errorFeedback) {
        return FieldError{"error_feedback",
                          "a vote leaves no error that could be sent later: leave error_feedback out"};
    }
    if (!params.errorFeedback && params.errorDecay != 1) {
        return FieldError{"error_decay",
                          "without error_feedback there is nothing that error_decay acts on: set "
                          "error_feedback = true, or leave error_decay out"};
    }
    if (properties.votes && params.scheme != "gather") {
        return FieldError{"scheme", "a vote that is coded again would lose its ties: set scheme = \"gather\""};
    }
    return std::nullopt;
}

}  // namespace dasgd
