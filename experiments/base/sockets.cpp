#include "experiments/base/sockets.h"

#include <arpa/inet.h>

#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

namespace dasgd::experiments {

namespace {

namespace fs = std::filesystem;

constexpr const char* kListenState = "0A";

std::string contentOf(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

// "0100007F:733A": words of 32 bits in the host's byte order, then the port.
ListeningSocket parseAddress(const std::string& text) {
    const auto colon = text.find(':');
    const std::size_t words = colon / 8;
    std::uint32_t raw[4] = {};
    for (std::size_t i = 0; i < words && i < 4; ++i) {
        std::from_chars(text.data() + i * 8, text.data() + i * 8 + 8, raw[i], 16);
    }
    unsigned port = 0;
    std::from_chars(text.data() + colon + 1, text.data() + text.size(), port, 16);
    char name[INET6_ADDRSTRLEN] = "";
    ::inet_ntop(words == 1 ? AF_INET : AF_INET6, raw, name, sizeof name);
    ListeningSocket socket;
    socket.address = (words == 1 ? std::string(name) : "[" + std::string(name) + "]") + ":" + std::to_string(port);
    const std::string host = name;
    socket.loopback = host.starts_with("127.") || host == "::1" || host.starts_with("::ffff:127.");
    socket.everywhere = host == "0.0.0.0" || host == "::";
    return socket;
}

std::set<std::string> socketInodes(const fs::path& process) {
    std::set<std::string> inodes;
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(process / "fd", code)) {
        const std::string target = fs::read_symlink(entry.path(), code).string();
        constexpr std::string_view prefix = "socket:[";
        if (target.starts_with(prefix)) inodes.insert(target.substr(prefix.size(), target.size() - prefix.size() - 1));
    }
    return inodes;
}

}  // namespace

std::vector<ListenLine> parseListening(const std::string& procNetTcp) {
    std::vector<ListenLine> out;
    std::istringstream lines(procNetTcp);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        const std::vector<std::string> fields{std::istream_iterator<std::string>(words), {}};
        if (fields.size() < 10 || fields[3] != kListenState) continue;
        out.push_back({fields[9], parseAddress(fields[1])});
    }
    return out;
}

std::vector<ListeningSocket> ownListeningSockets() {
    std::vector<ListenLine> lines = parseListening(contentOf("/proc/net/tcp"));
    for (ListenLine& line : parseListening(contentOf("/proc/net/tcp6"))) lines.push_back(std::move(line));
    std::vector<ListeningSocket> out;
    std::error_code code;
    const fs::path self = fs::read_symlink("/proc/self/exe", code);
    for (const auto& entry : fs::directory_iterator("/proc", code)) {
        const std::string name = entry.path().filename().string();
        pid_t process = 0;
        const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), process);
        if (wrong != std::errc() || end != name.data() + name.size()) continue;  // self, net, …
        std::error_code unreadable;
        if (fs::read_symlink(entry.path() / "exe", unreadable) != self || unreadable) continue;
        const std::set<std::string> inodes = socketInodes(entry.path());
        for (const ListenLine& line : lines) {
            if (!inodes.contains(line.inode)) continue;
            out.push_back(line.socket);
            out.back().process = process;
        }
    }
    return out;
}

}  // namespace dasgd::experiments
