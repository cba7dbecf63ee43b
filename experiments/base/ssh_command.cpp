#include "experiments/base/ssh_command.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "experiments/base/text.h"

namespace dasgd::experiments {

namespace {

constexpr int kMostPort = 65535;

bool isPlain(char c) {
    constexpr std::string_view kOthers = "_-./:=@%+,";
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kOthers.find(c) != std::string_view::npos;
}

bool isBlankOrControl(char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; }

}  // namespace

std::string SshHost::address() const { return name.substr(name.rfind('@') + 1); }

Result<SshHost> parseSshHost(const std::string& text) {
    const auto wrong = [&](const std::string& why) -> Result<SshHost> {
        return fail("'" + text + "' is no host: " + why + "; write it as node1, user@node1 or user@node1:2222");
    };
    SshHost host{text};
    const auto colon = text.rfind(':');
    if (colon != std::string::npos) {
        const auto port = decimalOf(std::string_view(text).substr(colon + 1));
        if (!port || *port < 1 || *port > kMostPort) return wrong("a port is a number from 1 to 65535");
        host.port = static_cast<int>(*port);
        host.name = text.substr(0, colon);
    }
    if (host.address().empty()) return wrong("there is no name");
    if (host.name.front() == '-') return wrong("ssh would take it for an option");
    if (std::ranges::any_of(host.name, isBlankOrControl)) return wrong("a name has no blanks");
    return host;
}

std::string shellQuoted(std::string_view word) {
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

std::string shellWord(const std::string& word) {
    if (word.starts_with("~/") && word.size() > 2) return "~/" + shellWord(word.substr(2));
    if (!word.empty() && std::ranges::all_of(word, isPlain)) return word;
    return shellQuoted(word);
}

std::string sshProgram() {
    const char* const named = std::getenv(SshCommand::kVariable);
    return named && *named ? named : "ssh";
}

SshCommand sshCommand(const SshHost& host, const std::vector<std::string>& options,
                      const std::vector<std::string>& command) {
    SshCommand ssh{sshProgram(), options};
    const auto add = [&](std::vector<std::string> more) {
        ssh.arguments.insert(ssh.arguments.end(), more.begin(), more.end());
    };
    add({"-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=10"});
    if (host.port > 0) add({"-p", std::to_string(host.port)});
    std::string line;
    for (const std::string& word : command) line += (line.empty() ? "" : " ") + shellWord(word);
    add({"--", host.name, line});
    return ssh;
}

}  // namespace dasgd::experiments
