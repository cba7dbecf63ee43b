// The words that the ranks of a run leave for each other before they can communicate, kept by rank 0 for those who know
// the run's secret: what c10d's TCPStore is, with CURVE (RFC 26) before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "experiments/transport/curve/run_secret.h"

namespace dasgd::experiments {

// A request is its name, which the answer repeats, an operation of one character, a key and its operands. The name is
// eight bytes of the client, which no other has, and eight of the request, a number that grows: what is lost with a
// connection is asked again under the name that it had, over a connection that may be another.
namespace key_value {
inline constexpr std::size_t kClientBytes = 8, kNameBytes = kClientBytes + sizeof(std::uint64_t);
inline constexpr char kSet = 'S', kGet = 'G', kAdd = 'A', kCompareSet = 'C', kDelete = 'D', kHas = 'H', kCount = 'N';
inline constexpr char kYes = 'y', kNo = 'n',
                      kWrong = 'w';  // an answer: what was asked for; it is not there; no request
}  // namespace key_value

// Serves in a thread of its own until it is destroyed.
class KeyValueServer {
public:
    virtual ~KeyValueServer() = default;
    // Listens on `address`:`port` alone; port 0: a free one. Errors: it is taken, or no address of this host.
    static Result<std::unique_ptr<KeyValueServer>> start(const std::string& address, int port, const RunSecret& secret);
    [[nodiscard]] virtual int port() const = 0;
    // How many came with another secret, or none, and were not let in. Any thread.
    [[nodiscard]] virtual std::int64_t turnedAway() const = 0;
};

}  // namespace dasgd::experiments
