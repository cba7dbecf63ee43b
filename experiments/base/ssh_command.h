// The command line by which a program of ours on another host is started: the user's own ssh, with what the user's
// configuration says of that host.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace dasgd::experiments {

struct SshHost {
    std::string name;  // "node1", "ada@node1"
    int port = 0;      // 0: what ssh's configuration says

    [[nodiscard]] std::string address() const;  // without the user
};

// "node1", "ada@node1", "ada@node1:2222". Errors: nothing, blanks or control characters, an option of ssh, no port.
[[nodiscard]] Result<SshHost> parseSshHost(const std::string& text);

// Quoted for a shell, whatever is in it.
[[nodiscard]] std::string shellQuoted(std::string_view word);
// Quotes a word only if it needs quotes; a leading "~/" still means the home folder of the other host.
[[nodiscard]] std::string shellWord(const std::string& word);

struct SshCommand {
    // Names another program than `ssh`, which gets the same arguments.
    static constexpr const char* kVariable = "DASGD_SSH";

    std::string program;
    std::vector<std::string> arguments;
};

// `ssh`, or what the variable names.
[[nodiscard]] std::string sshProgram();

// Runs `command` on the host without a terminal. Never asks for anything: who needs a password or a phrase has an agent
// or a key. `options` are in front of ours, so that they count where both say something.
[[nodiscard]] SshCommand sshCommand(const SshHost& host, const std::vector<std::string>& options,
                                    const std::vector<std::string>& command);

}  // namespace dasgd::experiments
