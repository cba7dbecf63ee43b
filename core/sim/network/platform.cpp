#include "core/sim/network/platform.h"

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <exception>
#include <fstream>
#include <set>

#include "core/base/crc32c.h"
#include "core/sim/network/simgrid.h"

namespace dasgd {

namespace sg = simgrid::s4u;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxBytes = 64 << 20;

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
    if (fs::file_size(file, code) > kMaxBytes)
        return fail(file.string() + ": larger than 64 MiB; that is no platform file");
    std::ifstream in(file, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    if (!in.is_open() || in.bad()) return fail(file.string() + ": cannot be read; check its permissions");
    return text;
}

// Comments made blank, so that places stay.
std::string withoutComments(std::string text) {
    for (std::size_t at = 0; (at = text.find("<!--", at)) != std::string::npos;) {
        const std::size_t end = std::min(text.find("-->", at + 4), text.size());
        std::replace_if(
            text.begin() + static_cast<std::ptrdiff_t>(at), text.begin() + static_cast<std::ptrdiff_t>(end),
            [](char c) { return c != '\n'; }, ' ');
        at = end;
    }
    return text;
}

// An attribute of this name, as file= or state_file=; npos where there is none.
std::size_t attributeEndingIn(const std::string& text, std::string_view name) {
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += name.size()) {
        std::size_t next = at + name.size();
        while (next < text.size() && std::isspace(static_cast<unsigned char>(text[next]))) ++next;
        const bool value = next + 1 < text.size() && text[next] == '=';
        const bool begins = at > 0 && (std::isspace(static_cast<unsigned char>(text[at - 1])) || text[at - 1] == '_');
        if (value && begins) return at;
    }
    return std::string::npos;
}

Status checkText(const fs::path& file, const std::string& content) {
    const std::string text = withoutComments(content);
    const auto line = [&](std::size_t at) {
        const auto lines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
        return file.string() + ":" + std::to_string(lines) + ": ";
    };
    const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    if (first == std::string::npos || text[first] != '<' || text.find("<platform") == std::string::npos) {
        return fail(file.string() + ": is no platform file of SimGrid: it has no <platform>");
    }
    if (const std::size_t at = attributeEndingIn(text, "file"); at != std::string::npos) {
        return fail(line(at) + "names another file; a run keeps a copy of one file, so write everything into it");
    }
    if (const std::size_t at = text.find("_AVAIL"); at != std::string::npos) {
        return fail(line(at) + "switches hosts or links on and off; that is for [faults] to say");
    }
    return {};
}

// Hosts as they appear; SimGrid itself keeps them by name.
std::vector<sg::Host*>* appearing = nullptr;

std::vector<sg::Host*> hostsAsWritten(const fs::path& file) {
    static bool listening = false;
    if (!std::exchange(listening, true)) {
        sg::Host::on_creation_cb([](sg::Host& host) {
            if (appearing) appearing->push_back(&host);
        });
    }
    std::vector<sg::Host*> hosts;
    appearing = &hosts;
    sg::Engine::get_instance()->load_platform(file.string());
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

// What the handler of a fatal signal has to say, prepared before anything can go wrong.
char lookingAt[512];
void (*tellLastWords)(const char* at) = nullptr;

void lookAt(const std::string& what) { std::snprintf(lookingAt, sizeof lookingAt, "%s", what.c_str()); }

void onFatal(int) { tellLastWords(lookingAt); }

Status checkWay(const fs::path& file, const sg::Host* from, const sg::Host* to) {
    const std::string way = file.string() + ": no route leads from host '" + from->get_name() + "' to host '" +
                            to->get_name() + "'; connect them, or choose other hosts";
    lookAt(way);
    std::vector<sg::Link*> links;
    double latency = 0;
    try {
        from->route_to(to, links, &latency);
    } catch (const std::exception&) {
        return fail(way);
    }
    if (links.empty()) return fail(way);
    return {};
}

Status checkWays(const fs::path& file, const std::vector<sg::Host*>& hosts) {
    const std::size_t count = hosts.size();
    for (std::size_t from = 0; from < count; ++from) {
        for (std::size_t to = 0; to < count; ++to) {
            if (from == to) continue;
            const std::size_t apart = from < to ? to - from : from - to;
            const bool asked = count <= kAllWaysUpTo || from == 0 || to == 0 || std::has_single_bit(apart) ||
                               std::has_single_bit(count - apart);
            if (asked) DASGD_TRY(checkWay(file, hosts[from], hosts[to]));
        }
    }
    return {};
}

std::string firstLineOf(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

Result<NetworkFile> openPlatform(const fs::path& file, const std::string& checksum) {
    if (file.empty()) return fail("file is missing: write file = \"cluster.xml\", a platform file of SimGrid");
    DASGD_ASSIGN(const std::string content, contentOf(file));
    DASGD_TRY(checkText(file, content));
    NetworkFile opened{file, checksumOf(content)};
    if (!checksum.empty() && checksum != opened.checksum) {
        return fail(file.string() + ": has changed: its checksum is " + opened.checksum + ", recorded was " + checksum +
                    "; remove checksum to take it as it is");
    }
    return opened;
}

Result<std::optional<NetworkFile>> openNetworkFile(Topology& topology, const Value& document, const Value& section) {
    const Value* name = section.find("file");
    const auto& source = document.position().source;
    const auto& own = name && name->position().source ? name->position().source : source;
    const bool byHand = own && own->starts_with("--");
    const fs::path folder = own ? fs::path(byHand && source ? *source : *own).parent_path() : fs::path();
    auto file = topology.open(folder);
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

Result<std::vector<sg::Host*>> loadPlatform(const PlatformChoice& choice, int hosts) {
    std::vector<sg::Host*> found;
    try {
        found = hostsAsWritten(choice.file);
    } catch (const std::exception& error) {
        return fail(choice.file.string() + ": SimGrid cannot read it: " + firstLineOf(error.what()));
    }
    const auto wanted = static_cast<std::size_t>(hosts);
    if (choice.hosts.empty()) {
        if (found.size() < wanted) {
            return fail(choice.file.string() + ": has " + std::to_string(found.size()) + " hosts for " +
                        std::to_string(hosts) + " workers; add hosts, or use fewer workers");
        }
        found.resize(wanted);
        return found;
    }
    std::vector<sg::Host*> chosen;
    for (std::size_t i = 0; i < wanted; ++i) {
        sg::Host* host = sg::Host::by_name_or_null(choice.hosts[i]);
        if (!host) return fail(choice.file.string() + ": has no host '" + choice.hosts[i] + "', which hosts names");
        chosen.push_back(host);
    }
    return chosen;
}

Status checkPlatform(const PlatformChoice& choice, int hosts, void (*lastWords)(const char* at)) {
    SimGridArguments arguments;
    const sg::Engine engine(arguments.count(), arguments.values());
    configureSimGrid();
    lookAt(choice.file.string() + ": SimGrid ends over it");
    tellLastWords = lastWords;
    for (const int fatal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS}) std::signal(fatal, onFatal);
    DASGD_ASSIGN(const auto ranks, loadPlatform(choice, hosts));
    engine.seal_platform();
    DASGD_TRY(checkLinks(choice.file));
    return checkWays(choice.file, ranks);
}

}  // namespace dasgd
