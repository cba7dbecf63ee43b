// A folder that is several hosts: `ssh HOST COMMAND` runs the command here, in the folder of that host. It stands for
// the network and sshd alone; what runs is the real program. Listens nowhere.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/transport/pipe/frame_channel.h"
#include "tests/support/dasgd_program.h"

namespace dasgd::test {

class StandInHosts {
public:
    // `root`: absolute; each host gets a folder there, which is its home.
    StandInHosts(std::filesystem::path root, const std::vector<std::string>& hosts) : root_(std::move(root)) {
        for (const std::string& host : hosts) std::filesystem::create_directories(root_ / host);
        writeText(program(), "#!/bin/sh\nroot='" + root_.string() +
                                 "'\nprintf '%s\\n' \"$*\" >>\"$root/ssh-arguments\"\n"
                                 "while [ \"$1\" != -- ]; do shift; done\nhost=${2#*@}\n"
                                 "if [ ! -d \"$root/$host\" ] || [ -e \"$root/$host.down\" ]; then\n"
                                 "    echo \"ssh: Could not resolve hostname $host: Name or service not known\" >&2\n"
                                 "    exit 255\nfi\n"
                                 "cd \"$root/$host\" && HOME=$root/$host exec sh -c \"exec $3\"\n");
        std::filesystem::permissions(program(), std::filesystem::perms::owner_all);
    }

    [[nodiscard]] std::filesystem::path program() const { return root_ / "ssh"; }
    [[nodiscard]] std::filesystem::path home(const std::string& host) const { return root_ / host; }
    // Arguments of all calls of ssh so far, a line each.
    [[nodiscard]] std::string arguments() const { return contentOf(root_ / "ssh-arguments"); }
    // Makes the host unreachable from now on; connections that are there stay.
    void takeDown(const std::string& host) const { writeText(root_ / (host + ".down"), ""); }
    [[nodiscard]] Environment environment() const { return {{"DASGD_SSH", program().string()}}; }

private:
    std::filesystem::path root_;
};

// A shell command that prints what a host says: its greeting and a document of JSON. The frames are kept in `file`.
inline std::string hostSays(const std::filesystem::path& file, const std::string& document) {
    using experiments::FrameType;
    writeText(file, experiments::encodeFrame(FrameType::Hello, experiments::kGreeting) +
                        experiments::encodeFrame(FrameType::Document, document));
    return "cat '" + file.string() + "'\n";
}

// A profile of them: every rank on loopback, each host with a workspace of its own.
inline std::string standInProfile(const std::string& hosts, const std::string& more = "") {
    return "kind = \"ssh\"\nhosts = " + hosts + "\ninterface = \"lo\"\nworkspace = \"w\"\ndasgd = \"" +
           std::string(kProgram) + "\"\n" + more;
}

// Command lines of all processes that can be seen, a line each.
inline std::string allCommandLines() {
    std::string lines;
    std::error_code code;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", code)) {
        std::string line = contentOf(entry.path() / "cmdline");
        for (char& c : line) c = c == '\0' ? ' ' : c;
        if (!line.empty()) lines += line + "\n";
    }
    return lines;
}

}  // namespace dasgd::test
