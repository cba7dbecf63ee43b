#include "core/sim/network/platform.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <simgrid/s4u.hpp>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <exception>
#include <fstream>
#include <set>

#include "core/base/digest/crc32c.h"
#include "core/base/schema/input_file.h"
#include "core/sim/network/platform_xml.h"
#include "core/sim/network/simgrid.h"

namespace dasgd {

namespace sg = simgrid::s4u;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxBytes = 16 << 20;  // 130,000 routes

std::string checksumOf(const std::string& text) {
    std::vector<std::uint64_t> words(text.size() / 8 + 2);
    words[0] = text.size();
    std::memcpy(&words[1], text.data(), text.size());
    char hex[17];
    std::snprintf(hex, sizeof hex, "crc32c:%08x", static_cast<unsigned>(crc32c(words)));
    return hex;
}

Result<std::string> contentOf(const fs::path& file) {
    std::error_code code;
    const auto status = fs::status(file, code);
    if (!fs::exists(status))
        return fail(file.string() + ": no such platform file; a relative name counts from the experiment's folder");
    if (!fs::is_regular_file(status))
        return fail(file.string() + ": is no file; name a platform file of SimGrid, an .xml");
    std::ifstream in(file, std::ios::binary);
    std::string text(std::min<std::uintmax_t>(fs::file_size(file, code), kMaxBytes) + 1, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!in.is_open() || in.bad()) return fail(file.string() + ": cannot be read; check its permissions");
    text.resize(static_cast<std::size_t>(in.gcount()));
    if (text.size() > kMaxBytes) {
        return fail(file.string() + ": larger than 16 MiB; describe equal hosts by <cluster> and routes by Floyd");
    }
    return text;
}

// Hosts in the order in which they appear; SimGrid itself keeps them by name.
std::vector<sg::Host*>* appearing = nullptr;

std::vector<sg::Host*> hostsAsWritten(const std::string& file) {
    static bool listening = false;
    if (!std::exchange(listening, true)) {
        sg::Host::on_creation_cb([](sg::Host& host) {
            if (appearing) appearing->push_back(&host);
        });
    }
    std::vector<sg::Host*> hosts;
    appearing = &hosts;
    sg::Engine::get_instance()->load_platform(file);
    appearing = nullptr;
    std::set<sg::Host*> seen;
    std::erase_if(hosts, [&](sg::Host* host) { return !seen.insert(host).second; });
    return hosts;
}

Status checkLinks(const fs::path& file) {
    for (const sg::Link* link : sg::Engine::get_instance()->get_all_links()) {
        if (!(link->get_bandwidth() > 0) || !std::isfinite(link->get_bandwidth())) {
            return fail(file.string() + ": the link '" + link->get_name() + "' has a bandwidth of " +
                        std::to_string(link->get_bandwidth()) + " bytes/s; it must be above 0");
        }
        if (!(link->get_latency() >= 0) || !std::isfinite(link->get_latency())) {
            return fail(file.string() + ": the link '" + link->get_name() + "' has a latency of " +
                        std::to_string(link->get_latency()) + " s; it must not be below 0");
        }
    }
    return {};
}

std::string fromHost(const sg::Host* host) { return " from host '" + host->get_name() + "'"; }

Status checkWay(const fs::path& file, const sg::Host* from, const sg::Host* to) {
    const std::string way = file.string() + ": no route leads" + fromHost(from) + " to host '" + to->get_name() +
                            "'; connect them, or choose other hosts";
    std::vector<sg::Link*> links;
    double latency = 0;
    try {
        from->route_to(to, links, &latency);
    } catch (const std::exception&) {
        return fail(way);
    }
    if (!links.empty()) return {};
    if (latency > 0) {
        return fail(file.string() + ": the way" + fromHost(from) + " to host '" + to->get_name() +
                    "' has a latency and no link, so that it would carry any number of bytes at once; describe hosts "
                    "that have coordinates as <peer>, with bw_in and bw_out");
    }
    return fail(way);
}

Status checkWays(const fs::path& file, const std::vector<sg::Host*>& hosts, const PlatformProgress& progress) {
    const std::size_t count = hosts.size();
    for (std::size_t from = 0; from < count; ++from) {
        const std::string search = "it looked for a route" + fromHost(hosts[from]);
        progress.tell(search);
        for (std::size_t to = 0; to < count; ++to) {
            if (from == to) continue;
            const std::size_t apart = from < to ? to - from : from - to;
            const bool asked = count <= kAllWaysUpTo || from == 0 || to == 0 || std::has_single_bit(apart) ||
                               std::has_single_bit(count - apart);
            if (!asked) continue;
            if (progress.everyWay) progress.tell(search + " to host '" + hosts[to]->get_name() + "'");
            DASGD_TRY(checkWay(file, hosts[from], hosts[to]));
        }
    }
    return {};
}

// Names the user's file in place of the image in SimGrid's message: both have the same lines.
std::string inTermsOfSource(std::string text, const PlatformImage& image) {
    text.resize(std::min(text.size(), text.find('\n')));
    const std::string name = image.name();
    const std::string source = image.source().string();
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += source.size()) {
        text.replace(at, name.size(), source);
    }
    return text;
}

Result<std::vector<sg::Host*>> chooseHosts(const std::string& file, const std::vector<std::string>& names,
                                           std::vector<sg::Host*> found, int hosts) {
    const auto wanted = static_cast<std::size_t>(hosts);
    if (names.empty()) {
        if (found.size() < wanted) {
            return fail(file + ": has " + std::to_string(found.size()) + " hosts for " + std::to_string(hosts) +
                        " workers; add hosts, or use fewer workers");
        }
        found.resize(wanted);
        return found;
    }
    std::vector<sg::Host*> chosen;
    for (std::size_t i = 0; i < wanted; ++i) {
        sg::Host* host = sg::Host::by_name_or_null(names[i]);
        if (!host) return fail(file + ": has no host '" + names[i] + "', which hosts names");
        chosen.push_back(host);
    }
    return chosen;
}

}  // namespace

Result<OpenedPlatform> openPlatform(const fs::path& file, const std::string& checksum) {
    if (file.empty()) return fail("file is missing: write file = \"cluster.xml\", a platform file of SimGrid");
    DASGD_ASSIGN(const std::string content, contentOf(file));
    DASGD_ASSIGN(std::string xml, checkedPlatformXml(file, content));
    OpenedPlatform opened{{file, checksumOf(content)}, std::move(xml)};
    if (!checksum.empty() && checksum != opened.file.checksum) {
        return fail(file.string() + ": has changed: its checksum is " + opened.file.checksum + ", recorded was " +
                    checksum + "; remove checksum to take it as it is");
    }
    return opened;
}

Result<std::optional<NetworkFile>> openNetworkFile(Topology& topology, const Value& document, const Value& section) {
    const Value* name = section.find("file");
    auto file = topology.open(folderOfNames(document, name));
    if (!file) return (name ? *name : section).error(file.error().message);
    return file;
}

std::vector<std::string> hostNames(const std::string& list) {
    std::vector<std::string> names;
    std::string name;
    for (const char c : list + ",") {
        if (c != ',' && !std::isspace(static_cast<unsigned char>(c))) name += c;
        if (c == ',' && !name.empty()) names.push_back(std::exchange(name, {}));
    }
    return names;
}

Result<PlatformImage> PlatformImage::make(const OpenedPlatform& platform) {
    const std::string reason = platform.file.path.string() + ": no memory file for it: ";
    PlatformImage image(::memfd_create("platform", MFD_CLOEXEC), platform.file.path);
    if (image.fd_ < 0) return fail(reason + ::strerror(errno));
    for (std::string_view rest = platform.xml; !rest.empty();) {
        const ssize_t wrote = ::write(image.fd_, rest.data(), rest.size());
        if (wrote < 0) return fail(reason + ::strerror(errno));
        rest.remove_prefix(static_cast<std::size_t>(wrote));
    }
    return image;
}

PlatformImage::PlatformImage(PlatformImage&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), source_(std::move(other.source_)) {}

PlatformImage::~PlatformImage() {
    if (fd_ >= 0) ::close(fd_);
}

std::string PlatformImage::name() const { return "/proc/self/fd/" + std::to_string(fd_); }

Result<std::vector<sg::Host*>> buildPlatform(const PlatformImage& image, const std::vector<std::string>& names,
                                             int hosts) {
    const std::string file = image.source().string();
    try {
        DASGD_ASSIGN(const auto chosen, chooseHosts(file, names, hostsAsWritten(image.name()), hosts));
        // Before the platform is sealed, Dijkstra and Floyd zones have no routes, and SimGrid ends the process that
        // asks for one.
        sg::Engine::get_instance()->seal_platform();
        return chosen;
    } catch (const std::exception& error) {
        return fail(file + ": SimGrid cannot read it: " + inTermsOfSource(error.what(), image));
    }
}

Status checkPlatform(const PlatformImage& image, const std::vector<std::string>& names, int hosts,
                     const PlatformProgress& progress) {
    progress.tell("it read the file");
    const SimGridEngine engine;
    DASGD_ASSIGN(const auto ranks, buildPlatform(image, names, hosts));
    DASGD_TRY(checkLinks(image.source()));
    return checkWays(image.source(), ranks, progress);
}

}  // namespace dasgd
