// A workspace on another machine, and `dasgd` run there through the user's own ssh: its configuration, keys, agent and
// jump hosts count, and nothing of ours listens.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "experiments/base/process.h"
#include "experiments/base/ssh_command.h"

namespace dasgd::experiments {

// Names the program that stands for ssh; by default "ssh".
inline constexpr const char* kSshVariable = SshCommand::kVariable;

struct Remote {
    std::string target;  // [user@]host, as ssh takes it
    int port = 0;        // 0: as ssh's configuration says
    std::string path;    // absolute, or within the user's home folder
    std::string program = "dasgd";

    // "ssh://[user@]host[:port]/path", where "/~/" begins a path in the home folder, or "[user@]host:path".
    // Errors: it is neither, or ssh would take it for an option.
    [[nodiscard]] static Result<Remote> of(const std::string& text);
    // The first form.
    [[nodiscard]] std::string url() const;
    // The command line for the shell of the other host, each word quoted; a program that begins with "~/" is in the
    // home folder.
    [[nodiscard]] std::string command(const std::vector<std::string>& arguments) const;
    // The arguments of ssh for that. A dead link ends it within 15 s.
    [[nodiscard]] std::vector<std::string> sshArguments(const std::vector<std::string>& arguments) const;
};

// `dasgd ARGUMENTS` there with its standard streams here. Ends with it at the latest: its stdin closes then.
struct RemoteProgram {
    ChildProcess process;
    Descriptor in, errors;  // we write, we read
    [[nodiscard]] int out() const { return process.reportFd(); }
};
[[nodiscard]] Result<RemoteProgram> startRemote(const Remote& remote, const std::vector<std::string>& arguments);

// True if `text` names a workspace of another machine and not a folder or file of this one.
[[nodiscard]] bool isRemoteName(const std::string& text);

// Runs `dasgd ARGUMENTS… -w WORKSPACE` there, with `input` to read and with what it prints here, until it has ended;
// its exit status. Errors: ssh does not start, or ended by itself.
[[nodiscard]] Result<int> runRemote(const Remote& remote, std::vector<std::string> arguments,
                                    const std::string& input = "");

// Runs `dasgd` at the origin of a run. `origin` and `program` are as storage has them. Errors: also an origin that is a
// folder of this machine.
[[nodiscard]] Result<int> runAtOrigin(const std::string& origin, const std::string& program,
                                      std::vector<std::string> arguments);

}  // namespace dasgd::experiments
