// A ZeroMQ socket with CURVE on it, and messages of several parts. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <zmq.hpp>

#include "experiments/transport/curve/run_secret.h"

namespace dasgd::experiments {

inline constexpr std::int64_t kMostMessageBytes = std::int64_t{64} << 20;

// Nothing waits for a peer when it is closed, a peer whose host is silent for some seconds is given up, and no message
// is larger than kMostMessageBytes.
void setLimits(zmq::socket_t& socket);
// `socket` serves under `own` keys.
void serveWith(zmq::socket_t& socket, const RunSecret::Keys& own);
// `socket` connects to a server of these keys, with `own`.
void connectWith(zmq::socket_t& socket, const std::string& serverKey, const RunSecret::Keys& own);

// "tcp://10.0.0.1:29500", "tcp://[::1]:*": port 0 is a free one.
[[nodiscard]] std::string tcpEndpoint(const std::string& address, int port);

using Parts = std::vector<std::string>;
// nullopt where nothing waits.
[[nodiscard]] std::optional<Parts> receiveNow(zmq::socket_t& socket);
// False where the peer is gone, or does not take in more at present.
bool sendNow(zmq::socket_t& socket, const Parts& parts);

}  // namespace dasgd::experiments
