#include "experiments/base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

namespace dasgd::experiments {

namespace {

// glibc 2.36 has pidfd_open and pidfd_send_signal, but their header does not compile as C++ beside <sys/wait.h>
// everywhere.
int openPidFd(pid_t id) { return static_cast<int>(::syscall(SYS_pidfd_open, id, 0)); }
void sendByPidFd(int pidFd, int number) { ::syscall(SYS_pidfd_send_signal, pidFd, number, nullptr, 0); }

// posix_spawn's two option objects, freed on every way out.
class SpawnSetup {
public:
    SpawnSetup() {
        posix_spawn_file_actions_init(&actions);
        posix_spawnattr_init(&attributes);
    }
    ~SpawnSetup() {
        posix_spawn_file_actions_destroy(&actions);
        posix_spawnattr_destroy(&attributes);
    }
    SpawnSetup(const SpawnSetup&) = delete;
    SpawnSetup& operator=(const SpawnSetup&) = delete;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
};

void setUp(SpawnSetup& setup, const ChildProcess::Options& options, int reportFd) {
    if (options.input >= 0) {
        posix_spawn_file_actions_adddup2(&setup.actions, options.input, 0);
    } else {
        posix_spawn_file_actions_addopen(&setup.actions, 0, "/dev/null", O_RDONLY, 0);
    }
    if (options.log.empty()) {
        posix_spawn_file_actions_adddup2(&setup.actions, reportFd, 1);
        if (options.errors >= 0) {
            posix_spawn_file_actions_adddup2(&setup.actions, options.errors, 2);
        } else {
            posix_spawn_file_actions_addopen(&setup.actions, 2, "/dev/null", O_WRONLY, 0);
        }
    } else {
        posix_spawn_file_actions_addopen(&setup.actions, 1, options.log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
        posix_spawn_file_actions_adddup2(&setup.actions, 1, 2);
        posix_spawn_file_actions_adddup2(&setup.actions, reportFd, kReportDescriptor);
    }
    posix_spawn_file_actions_addclosefrom_np(&setup.actions, options.log.empty() ? 3 : kReportDescriptor + 1);

    sigset_t blocked;
    sigset_t handled;
    sigemptyset(&blocked);
    for (const int number : options.blocked) sigaddset(&blocked, number);
    sigemptyset(&handled);
    for (const int number : {SIGINT, SIGTERM, SIGPIPE, SIGCHLD}) sigaddset(&handled, number);
    posix_spawnattr_setsigmask(&setup.attributes, &blocked);
    posix_spawnattr_setsigdefault(&setup.attributes, &handled);
    posix_spawnattr_setpgroup(&setup.attributes, 0);
    const int group = options.ownGroup ? POSIX_SPAWN_SETPGROUP : 0;
    posix_spawnattr_setflags(&setup.attributes,
                             static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group));
}

// The names of `more` in front: getenv() and exec find the first.
std::vector<char*> environmentWith(const std::vector<std::string>& more) {
    std::vector<char*> all;
    for (const std::string& entry : more) all.push_back(const_cast<char*>(entry.c_str()));
    for (char** entry = environ; *entry; ++entry) {
        const std::string_view present = *entry;
        const auto isNamed = [&](const std::string& one) {
            return present.starts_with(std::string_view(one).substr(0, one.find('=') + 1));
        };
        if (std::none_of(more.begin(), more.end(), isNamed)) all.push_back(*entry);
    }
    all.push_back(nullptr);
    return all;
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
}

Descriptor::~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
}

Result<ChildProcess> ChildProcess::start(const Options& options) {
    int pipeEnds[2];
    if (::pipe2(pipeEnds, O_CLOEXEC | O_NONBLOCK) != 0) {
        return fail("cannot open a pipe for " + options.program + ": " + ::strerror(errno) + "; raise `ulimit -n`");
    }
    ChildProcess child;
    child.report_ = Descriptor(pipeEnds[0]);
    const Descriptor childEnd(pipeEnds[1]);
    // The child writes a few lines and must not lose one to a full pipe.
    ::fcntl(childEnd.get(), F_SETFL, 0);

    SpawnSetup setup;
    setUp(setup, options, childEnd.get());
    std::vector<char*> argv{const_cast<char*>(options.program.c_str())};
    for (const std::string& argument : options.arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    std::vector<char*> environment = environmentWith(options.environment);
    const int code = ::posix_spawnp(&child.id_, options.program.c_str(), &setup.actions, &setup.attributes, argv.data(),
                                    environment.data());
    if (code != 0) return fail("cannot start " + options.program + ": " + ::strerror(code));
    child.pidFd_ = Descriptor(openPidFd(child.id_));
    if (!child.pidFd_) {
        const std::string reason = ::strerror(errno);
        ::kill(child.id_, SIGKILL);
        ::waitpid(child.id_, nullptr, 0);
        child.id_ = 0;
        return fail("cannot watch a started process: " + reason + "; Linux 5.3 or newer is needed");
    }
    return child;
}

ChildProcess::~ChildProcess() {
    if (!pidFd_ || exit_) return;
    signal(SIGKILL);
    pollfd wait{pidFd_.get(), POLLIN, 0};
    ::poll(&wait, 1, 2000);
    static_cast<void>(poll());
}

std::optional<ProcessExit> ChildProcess::poll() {
    if (exit_) return exit_;
    siginfo_t info{};
    const auto pidFd = static_cast<id_t>(pidFd_.get());
    if (::waitid(static_cast<idtype_t>(P_PIDFD), pidFd, &info, WEXITED | WNOHANG) != 0 || info.si_pid == 0) return {};
    exit_ = info.si_code == CLD_EXITED ? ProcessExit{info.si_status, 0} : ProcessExit{0, info.si_status};
    return exit_;
}

void ChildProcess::signal(int number) {
    if (!exit_) sendByPidFd(pidFd_.get(), number);
}

const std::string& ChildProcess::report() {
    char buffer[4096];
    while (true) {
        const ssize_t got = ::read(report_.get(), buffer, sizeof buffer);
        if (got <= 0) return reported_;
        reported_.append(buffer, static_cast<std::size_t>(got));
    }
}

std::optional<ProcessExit> ChildProcess::awaitEnd(Ns patience, std::size_t mostBytes) {
    const Ns deadline = MonotonicClock::rawNow() + patience;
    while (MonotonicClock::rawNow() < deadline) {
        // Before the report is read, so that nothing written before the end is missed.
        const auto exit = poll();
        if (report().size() > mostBytes) return std::nullopt;
        if (exit) return exit;
        pollfd wait[2] = {{pidFd(), POLLIN, 0}, {reportFd(), POLLIN, 0}};
        ::poll(wait, 2, 50);
    }
    return std::nullopt;
}

std::optional<std::string> outputOf(const std::string& program, const std::vector<std::string>& arguments,
                                    std::size_t limit, Ns patience) {
    auto child = ChildProcess::start({program, arguments, {}, false});
    if (!child) return {};
    const auto exit = child->awaitEnd(patience, limit);
    const std::string& text = child->report();
    if (text.size() > limit) return text.substr(0, limit);
    return exit && exit->signal == 0 && exit->code == 0 ? std::optional(text) : std::nullopt;
}

std::string describeExit(const ProcessExit& exit) {
    if (exit.signal == 0) return "exit status " + std::to_string(exit.code);
    return "signal " + std::to_string(exit.signal) + " (" + ::strsignal(exit.signal) + ")";
}

}  // namespace dasgd::experiments
