// Platform files of SimGrid, read with care: SimGrid may end the process over a file that it cannot make sense of.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/sim/network/network.h"

namespace dasgd {

// Which hosts of which file, in rank order.
struct PlatformChoice {
    std::filesystem::path file;
    std::vector<std::string> hosts;  // none: as the file has them
};

// What can be told without SimGrid. Errors: it cannot be read, is no XML, or needs other files, which a run would not
// keep; `checksum` is given and not its own.
[[nodiscard]] Result<NetworkFile> openPlatform(const std::filesystem::path& file, const std::string& checksum);

// Opens what `topology`, made from `section` of `document`, is read from. A file's name counts from the folder of the
// file in which it is written; given by hand, from the experiment's. Errors: as Topology::open, with their place.
[[nodiscard]] Result<std::optional<NetworkFile>> openNetworkFile(Topology& topology, const Value& document,
                                                                 const Value& section);

// "node-0, node-7" as names.
[[nodiscard]] std::vector<std::string> hostNames(const std::string& list);

// Loads it into the running engine. Errors: hosts that are missing. SimGrid ends the process over a broken file.
[[nodiscard]] Result<std::vector<simgrid::s4u::Host*>> loadPlatform(const PlatformChoice& choice, int hosts);

// Up to so many hosts every way between two is checked: a second or two (with routing="Dijkstra", which computes every
// route anew, 3 s for 256 hosts and minutes for 1,024). Beyond it those at distances of powers of two and those of rank
// 0, which is what collectives use but for hierarchies and parameter servers.
inline constexpr int kAllWaysUpTo = 1024;

// Loads it into an engine of its own and checks every link and the ways between the chosen hosts. SimGrid may end the
// process, or take for ever: for a process that may be lost. In one that dies inside, `lastWords` is called with what
// was being looked at, from the signal's handler.
[[nodiscard]] Status checkPlatform(const PlatformChoice& choice, int hosts, void (*lastWords)(const char* at));

}  // namespace dasgd
