#include "experiments/transport/mirror/remote.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <string_view>
#include <utility>

#include "experiments/base/text.h"
#include "storage/mirror/mirror_sink.h"

namespace dasgd::experiments {

namespace {

constexpr std::string_view kScheme = "ssh://";
constexpr std::string_view kHomeMark = "/~/";
constexpr int kLostLink = 255;  // exit status of ssh where the connection itself failed

bool isControl(char each) { return static_cast<unsigned char>(each) <= 0x20 || each == 0x7f; }

Status checkTarget(const std::string& target, const std::string& text) {
    const std::string host = target.substr(target.find('@') == std::string::npos ? 0 : target.find('@') + 1);
    if (host.empty() || target.front() == '-' || host.front() == '-' || std::ranges::any_of(target, isControl)) {
        return fail("'" + text + "' names no host; say ssh://[user@]host[:port]/folder, or host:folder");
    }
    return {};
}

// Takes ":port" off the end of an authority, of which an IPv6 address is in brackets.
Result<int> takePort(std::string& authority, const std::string& text) {
    const auto colon = authority.rfind(':');
    const auto bracket = authority.rfind(']');
    if (colon == std::string::npos || (bracket != std::string::npos && colon < bracket)) return 0;
    const std::string digits = authority.substr(colon + 1);
    int port = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (error != std::errc() || end != digits.data() + digits.size() || port < 1 || port > 65535) {
        return fail("'" + text + "': '" + digits + "' is no port; they go from 1 to 65535");
    }
    authority.resize(colon);
    return port;
}

void dropBrackets(std::string& authority) {
    std::erase_if(authority, [](char each) { return each == '[' || each == ']'; });
}

Result<std::pair<Descriptor, Descriptor>> makePipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return fail(std::string("cannot open a pipe: ") + ::strerror(errno));
    return std::pair(Descriptor(ends[0]), Descriptor(ends[1]));
}

// A file in memory, to be read from its beginning.
Result<Descriptor> memoryFileOf(const std::string& text) {
    Descriptor file(::memfd_create("input", MFD_CLOEXEC));
    const bool written = file.get() >= 0 && ::write(file.get(), text.data(), text.size()) == std::ssize(text);
    if (!written || ::lseek(file.get(), 0, SEEK_SET) != 0) {
        return fail(std::string("cannot keep what is to be sent: ") + ::strerror(errno));
    }
    return file;
}

}  // namespace

bool isRemoteName(const std::string& text) {
    if (text.starts_with(kScheme)) return true;
    const auto colon = text.find(':');
    return colon != std::string::npos && colon > 0 && text.find('/') > colon;
}

Result<Remote> Remote::of(const std::string& text) {
    Remote remote;
    if (text.starts_with(kScheme)) {
        const std::string rest = text.substr(kScheme.size());
        const auto slash = rest.find('/');
        remote.target = rest.substr(0, slash);
        remote.path = slash == std::string::npos ? "" : rest.substr(slash);
        if (remote.path.starts_with(kHomeMark)) remote.path.erase(0, kHomeMark.size());
        DASGD_ASSIGN(remote.port, takePort(remote.target, text));
        dropBrackets(remote.target);
    } else if (isRemoteName(text)) {
        remote.target = text.substr(0, text.find(':'));
        remote.path = text.substr(text.find(':') + 1);
        if (remote.path.starts_with("~/")) remote.path.erase(0, 2);
    }
    if (remote.path.starts_with('-')) remote.path.insert(0, "./");  // no option
    DASGD_TRY(checkTarget(remote.target.empty() ? "-" : remote.target, text));
    if (remote.path.empty() || remote.path == "/" ||
        std::ranges::any_of(remote.path, [](char c) { return c == 0 || c == '\n'; })) {
        return fail("'" + text + "' names no folder on " + remote.target + "; say ssh://host/folder");
    }
    return remote;
}

std::string Remote::url() const {
    std::string authority = target;
    if (std::ranges::count(target, ':') > 0) {
        const auto at = target.find('@');
        const std::size_t host = at == std::string::npos ? 0 : at + 1;
        authority = target.substr(0, host) + "[" + target.substr(host) + "]";
    }
    if (port != 0) authority += ":" + std::to_string(port);
    return std::string(kScheme) + authority + (path.starts_with('/') ? path : std::string(kHomeMark) + path);
}

std::string Remote::command(const std::vector<std::string>& arguments) const {
    std::string text =
        program.starts_with("~/") ? "~/" + shellQuoted(std::string_view(program).substr(2)) : shellQuoted(program);
    for (const std::string& argument : arguments) text += " " + shellQuoted(argument);
    return text;
}

std::vector<std::string> Remote::sshArguments(const std::vector<std::string>& arguments) const {
    std::vector<std::string> words{
        "-T", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=2", "-o", "ConnectTimeout=15"};
    if (port != 0) words.insert(words.end(), {"-p", std::to_string(port)});
    words.insert(words.end(), {"--", target, command(arguments)});
    return words;
}

Result<RemoteProgram> startRemote(const Remote& remote, const std::vector<std::string>& arguments) {
    DASGD_ASSIGN(auto input, makePipe());
    DASGD_ASSIGN(auto errors, makePipe());
    // In our group: ssh may ask for a password at the terminal.
    DASGD_ASSIGN(ChildProcess process, ChildProcess::start({.program = sshProgram(),
                                                            .arguments = remote.sshArguments(arguments),
                                                            .log = {},
                                                            .ownGroup = false,
                                                            .input = input.first.get(),
                                                            .errors = errors.second.get()}));
    ::fcntl(errors.first.get(), F_SETFL, O_NONBLOCK);
    return RemoteProgram{std::move(process), std::move(input.second), std::move(errors.first)};
}

Result<int> runRemote(const Remote& remote, std::vector<std::string> arguments, const std::string& input) {
    arguments.insert(arguments.end(), {"-w", remote.path});
    Descriptor sent;
    if (!input.empty()) {
        DASGD_ASSIGN(sent, memoryFileOf(input));
    }
    DASGD_ASSIGN(auto process, ChildProcess::start({.program = sshProgram(),
                                                    .arguments = remote.sshArguments(arguments),
                                                    .log = {},
                                                    .ownGroup = false,
                                                    .input = sent.get(),
                                                    .errors = STDERR_FILENO}));
    std::size_t shown = 0;
    for (std::optional<ProcessExit> exit; !exit;) {
        pollfd wait[2] = {{process.pidFd(), POLLIN, 0}, {process.reportFd(), POLLIN, 0}};
        ::poll(wait, 2, 1000);
        exit = process.poll();
        const std::string& text = process.report();
        std::fwrite(text.data() + shown, 1, text.size() - shown, stdout);
        std::fflush(stdout);
        shown = text.size();
        if (!exit) continue;
        if (exit->signal != 0 || exit->code == kLostLink) {
            return fail("ssh to " + remote.target + " ended (" + describeExit(*exit) + "): whether " +
                        printable(remote.url()) + " was told is not known");
        }
        return exit->code;
    }
    return kLostLink;
}

Result<int> runAtOrigin(const std::string& origin, const std::string& program, std::vector<std::string> arguments) {
    if (!storage::isRemote(origin)) {
        return fail("it was imported from " + origin + ": tell the workspace that it is from, with -w");
    }
    DASGD_ASSIGN(Remote remote, Remote::of(origin));
    if (!program.empty()) remote.program = program;
    return runRemote(remote, std::move(arguments));
}

}  // namespace dasgd::experiments
