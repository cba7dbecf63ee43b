// The facts that a host reports before ranks start there: its program, address and workspace, and if other hosts can
// reach it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "experiments/base/process.h"

namespace dasgd::experiments {

// "~/lab" → the folder "lab" of the home folder; anything else stays.
[[nodiscard]] std::string withHome(const std::string& path);

// {"version", "protocol", "build", "host", "address", "lacks": […]}. `request`: "workspace"; "interface", or "towards",
// a host that the address has to reach; without either it is loopback's.
[[nodiscard]] nlohmann::json hostFacts(const nlohmann::json& request);

// A socket that listens on a port of `address` that was free, or on `port`. Errors: it cannot.
struct ListeningPort {
    Descriptor socket;
    int port = 0;
};
[[nodiscard]] Result<ListeningPort> listenOn(const std::string& address, int port = 0);

// Milliseconds to connect. Errors: refused, no route, no answer within three seconds; the message says what to do.
[[nodiscard]] Result<double> reach(const std::string& address, int port);

// The checks of `dasgd doctor --json` of this program, by a process of its own. Errors: it does not answer.
[[nodiscard]] Result<nlohmann::json> ownDoctor(const std::string& workspace);

}  // namespace dasgd::experiments
