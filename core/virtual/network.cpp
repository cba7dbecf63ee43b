#include "core/virtual/network.h"

#include "core/base/units.h"

namespace dasgd {

std::optional<FieldError> NetworkParams::check() const {
    if (const auto rate = parseRate(reduceRate); !rate) return FieldError{"reduce_rate", rate.error().message};
    return std::nullopt;
}

double NetworkParams::reduceSecondsPerByte() const {
    const double rate = parseRate(reduceRate).value();
    return rate > 0 ? 1 / rate : 0;
}

AllReduceKind NetworkParams::allReduce() const {
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
