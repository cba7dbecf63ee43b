#include "experiments/cluster/ssh/host_connection.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "experiments/base/text.h"
#include "experiments/cluster/host/host_messages.h"

namespace dasgd::experiments {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kGlance{100}, kLastWords{2000};
constexpr int kNoSuchProgram = 127, kSshFailed = 255;
constexpr std::size_t kMostSaid = 4000;

std::string lastLineOf(const std::string& text) {
    const auto end = text.find_last_not_of(" \r\n");
    if (end == std::string::npos) return {};
    const auto begin = text.rfind('\n', end);
    std::string line = text.substr(begin == std::string::npos ? 0 : begin + 1, end - (begin + 1) + 1);
    return printableWords(line.substr(0, line.find_last_not_of('\r') + 1));
}

}  // namespace

HostConnection::HostConnection(std::string name, std::string ssh, ChildProcess process, Descriptor input,
                               Descriptor errors)
    : name_(std::move(name)),
      ssh_(std::move(ssh)),
      process_(std::move(process)),
      input_(std::move(input)),
      errors_(std::move(errors)) {
    channel_.emplace(process_.reportFd(), input_.get(), Noise::Skipped);
}

// The host ends what it runs for us once its input has ended; ssh waits for that.
HostConnection::~HostConnection() {
    channel_.reset();
    input_ = Descriptor();
    static_cast<void>(process_.awaitEnd(std::chrono::nanoseconds(kLastWords).count()));
}

namespace {

// A command with which a person can test the connection: "ssh -p 2222 ada@node1 true".
std::string triedBy(const std::string& program, const std::vector<std::string>& options, const SshHost& host) {
    std::string text = program;
    for (const std::string& option : options) text += " " + shellWord(option);
    if (host.port > 0) text += " -p " + std::to_string(host.port);
    return text + " " + host.name + " true";
}

}  // namespace

Result<std::unique_ptr<HostConnection>> HostConnection::open(const ClusterProfile& profile, std::size_t host) {
    // An ssh that has ended is an error of the write.
    ::signal(SIGPIPE, SIG_IGN);
    const SshCommand ssh = sshCommand(profile.sshHosts()[host], profile.ssh.options, {profile.dasgd, kHostCommand});
    int input[2], errors[2];
    if (::pipe2(input, O_CLOEXEC) != 0) return fail(std::string("cannot open a pipe: ") + ::strerror(errno));
    Descriptor theirInput(input[0]), ourInput(input[1]);
    if (::pipe2(errors, O_CLOEXEC) != 0) return fail(std::string("cannot open a pipe: ") + ::strerror(errno));
    Descriptor ourErrors(errors[0]), theirErrors(errors[1]);
    ::fcntl(ourErrors.get(), F_SETFL, O_NONBLOCK);
    auto process = ChildProcess::start(
        {.program = ssh.program, .arguments = ssh.arguments, .input = theirInput.get(), .errors = theirErrors.get()});
    if (!process) {
        return fail(process.error().message + "; install OpenSSH's client, or name another program in $" +
                    SshCommand::kVariable);
    }
    return std::unique_ptr<HostConnection>(
        new HostConnection(profile.hosts[host], triedBy(ssh.program, profile.ssh.options, profile.sshHosts()[host]),
                           std::move(*process), std::move(ourInput), std::move(ourErrors)));
}

Status HostConnection::tell(const char* what, nlohmann::json more) {
    more["do"] = what;
    channel_->send(FrameType::Document, dumpLine(more));
    if (closed_ || !channel_->flush(kWritePatience)) return fail(whyLost());
    return {};
}

void HostConnection::tellAlive() {
    channel_->send(FrameType::Alive);
    static_cast<void>(channel_->flush(kWritePatience));
}

Result<nlohmann::json> HostConnection::ask(const char* what, nlohmann::json more, milliseconds patience) {
    DASGD_TRY(tell(what, std::move(more)));
    return answer(what, patience);
}

Result<nlohmann::json> HostConnection::answer(const char* what, milliseconds patience) {
    const auto until = steady_clock::now() + patience;
    // An answer that came while other hosts were awaited is read even after the deadline.
    if (answers_.empty()) take(milliseconds(0));
    while (answers_.empty() && !closed_ && steady_clock::now() < until && !stopped_()) {
        take(kGlance);
        meanwhile_();
    }
    if (answers_.empty()) {
        late_.emplace_back(what);
        if (stopped_()) return fail(name_ + ": was not waited for");
        if (closed_) return fail(whyLost());
        return fail(name_ + ": no answer within " + duration(static_cast<double>(patience.count()) * 1e-3) +
                    (answered_ ? std::string() : "; try `" + ssh_ + "`"));
    }
    const nlohmann::json reply = std::move(answers_.front());
    answers_.pop_front();
    if (reply.value("re", "") != what) return fail(name_ + ": answered something else; is its dasgd the same version?");
    if (reply.contains("error")) return fail(name_ + ": " + reply.value("error", "it did not say what is wrong"));
    return reply;
}

void HostConnection::take(milliseconds patience) {
    channel_->pump(patience);
    auto frame = channel_->receive();
    for (; frame && *frame; frame = channel_->receive()) {
        if ((*frame)->type != FrameType::Document) continue;
        auto document = nlohmann::json::parse((*frame)->body, nullptr, false);
        if (!document.is_object()) continue;
        const bool isAnswer = document.contains("re");
        answered_ = answered_ || isAnswer;
        // Answers come in the order of what was asked.
        if (isAnswer && !late_.empty() && late_.front() == document.value("re", "")) {
            late_.pop_front();
            continue;
        }
        (isAnswer ? answers_ : events_).push_back(std::move(document));
    }
    closed_ = !frame || channel_->closed();
    takeErrors();
}

void HostConnection::takeErrors() {
    char buffer[4096];
    for (ssize_t got; (got = ::read(errors_.get(), buffer, sizeof buffer)) > 0;) {
        said_.append(buffer, static_cast<std::size_t>(got));
        if (said_.size() > kMostSaid) said_.erase(0, said_.size() - kMostSaid);
    }
}

std::optional<nlohmann::json> HostConnection::event(milliseconds patience) {
    if (events_.empty()) take(patience);
    if (events_.empty()) return std::nullopt;
    nlohmann::json first = std::move(events_.front());
    events_.pop_front();
    return first;
}

bool HostConnection::isAlive(std::chrono::seconds silence) const { return !closed_ && channel_->silence() < silence; }

std::string HostConnection::whyLost() {
    const auto exit = process_.awaitEnd(std::chrono::nanoseconds(kLastWords).count());
    takeErrors();
    const std::string said = lastLineOf(said_);
    const std::string quoted = said.empty() ? "" : " (" + said + ")";
    if (!exit) return name_ + ": the connection is lost; nothing was heard for a while" + quoted;
    if (answered_) return name_ + ": the connection has ended, ssh by " + describeExit(*exit) + quoted;
    if (exit->signal == 0 && exit->code == kSshFailed) {
        return name_ + ": cannot be reached" + quoted + "; `" + ssh_ +
               "` has to work without a password (a key or an agent)";
    }
    if (exit->signal == 0 && exit->code == kNoSuchProgram) {
        return name_ + ": has no dasgd" + quoted +
               "; put the same build there and set `dasgd = \"PATH\"` in the profile";
    }
    return name_ + ": its dasgd cannot start ranks" + quoted + "; put the same version there as here, " DASGD_VERSION;
}

}  // namespace dasgd::experiments
