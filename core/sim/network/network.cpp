#include "core/sim/network/network.h"

#include <algorithm>
#include <string_view>

#include "core/base/schema/units.h"

namespace dasgd {

namespace {

constexpr std::string_view kAuthors = "authors-";

}  // namespace

std::optional<FieldError> BackgroundParams::check() const {
    if (const auto bytes = parseBytes(message); !bytes) return FieldError{"message", bytes.error().message};
    return std::nullopt;
}

double BackgroundParams::messageBytes() const { return parseBytes(message).value(); }

std::optional<FieldError> NetworkParams::check() const {
    if (authorsExchange() && fidelity != "formula") {
        return FieldError{"collective", "collective = \"" + collective +
                                            "\" is a formula without messages: set fidelity = \"formula\", or choose "
                                            "another collective, as tree"};
    }
    if (background && fidelity == "formula") {
        return FieldError{"background",
                          "background traffic shares links with messages, and with fidelity = \"formula\" there are "
                          "none: remove it, or set fidelity = \"message\""};
    }
    if (const auto rate = parseRate(reduceRate); !rate) return FieldError{"reduce_rate", rate.error().message};
    return std::nullopt;
}

double NetworkParams::reduceSecondsPerByte() const {
    const double rate = parseRate(reduceRate).value();
    return rate > 0 ? 1 / rate : 0;
}

std::optional<AuthorsExchange> NetworkParams::authorsExchange() const {
    if (!collective.starts_with(kAuthors)) return std::nullopt;
    const auto found = std::ranges::find(kAuthorsExchangeNames, std::string_view(collective).substr(kAuthors.size()));
    return static_cast<AuthorsExchange>(found - kAuthorsExchangeNames.begin());
}

AllReduceKind NetworkParams::allReduce() const {
    if (authorsExchange()) return {};
    return {.method = allReduceMethodNamed(collective).value(),
            .groupSize = static_cast<int>(groupSize),
            .servers = static_cast<int>(servers)};
}

std::optional<FieldError> LinkSpec::check() const {
    if (const auto parsed = parseBandwidth(bandwidth); !parsed) return FieldError{"bandwidth", parsed.error().message};
    if (const auto parsed = parseLatency(latency); !parsed) return FieldError{"latency", parsed.error().message};
    return std::nullopt;
}

double LinkSpec::bytesPerSecond() const { return parseBandwidth(bandwidth).value(); }
double LinkSpec::latencySeconds() const { return parseLatency(latency).value(); }

}  // namespace dasgd
