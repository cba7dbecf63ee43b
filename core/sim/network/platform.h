// Platform files of SimGrid as networks: opened, checked, and built. platform_xml.h defines their allowed content.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/sim/network/network.h"

namespace dasgd {

struct OpenedPlatform {
    NetworkFile file;
    std::string xml;  // the checked text that SimGrid reads instead of the file
};

// Makes all checks that do not need SimGrid. Errors, with their place: the file cannot be read, holds more than a
// network, or has another checksum than `checksum`, where that is given.
[[nodiscard]] Result<OpenedPlatform> openPlatform(const std::filesystem::path& file, const std::string& checksum);

// Opens the file that `topology`, made from `section` of `document`, is read from. A file's name counts from the folder
// of the file in which it is written; given by hand, from the experiment's. Errors: as Topology::open, with their
// place.
[[nodiscard]] Result<std::optional<NetworkFile>> openNetworkFile(Topology& topology, const Value& document,
                                                                 const Value& section);

// Splits a list such as "node-0, node-7" into names.
[[nodiscard]] std::vector<std::string> hostNames(const std::string& list);

// A checked text in memory, under a name by which SimGrid can open it as a file. Owner: one thread.
class PlatformImage {
public:
    // Errors: no memory for the text.
    static Result<PlatformImage> make(const OpenedPlatform& platform);
    PlatformImage(PlatformImage&& other) noexcept;
    PlatformImage& operator=(PlatformImage&&) = delete;
    ~PlatformImage();

    [[nodiscard]] std::string name() const;
    [[nodiscard]] const std::filesystem::path& source() const { return source_; }  // the user's file

private:
    PlatformImage(int fd, std::filesystem::path source) : fd_(fd), source_(std::move(source)) {}
    int fd_;
    std::filesystem::path source_;
};

// Builds the platform in the running engine and seals it, so that routes can be asked for. Returns the hosts of
// `names`, or the first ones in the order of the file. Errors: hosts that are missing, what SimGrid throws. SimGrid
// ends the process on some files.
[[nodiscard]] Result<std::vector<simgrid::s4u::Host*>> buildPlatform(const PlatformImage& image,
                                                                     const std::vector<std::string>& names, int hosts);

// Up to so many hosts every route between two is checked: a second or two (with routing="Dijkstra", which computes
// every route anew, 3 s for 256 hosts and minutes for 1,024). Beyond it, only routes at distances of powers of two and
// those of rank 0 are, which are the ones that collectives use except hierarchies and parameter servers.
inline constexpr int kAllWaysUpTo = 1024;

// Reports the step under way before it starts, because SimGrid may end the process: "it looked for a route from host
// 'a'".
struct PlatformProgress {
    std::function<void(const std::string& step)> tell = [](const std::string&) {};
    bool everyWay = false;  // report each route, not only each host from which some lead
};

// Builds the platform with buildPlatform(), as a run does, in an engine of its own, and checks every link and the
// routes between the ranks' hosts. SimGrid may end the process or hang: call this in a child process.
[[nodiscard]] Status checkPlatform(const PlatformImage& image, const std::vector<std::string>& names, int hosts,
                                   const PlatformProgress& progress);

}  // namespace dasgd
