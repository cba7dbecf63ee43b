// The launcher's end of one host: an ssh process that runs `dasgd host-ranks` there, and what the two tell each other.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/result.h"
#include "experiments/base/process.h"
#include "experiments/cluster/host/host_messages.h"
#include "experiments/config/cluster_profile.h"
#include "experiments/transport/pipe/frame_channel.h"

namespace dasgd::experiments {

// Owner: one thread. Destroying it closes the connection, and with that ends the ranks on the host.
class HostConnection {
public:
    // Starts ssh; whether it comes through is seen at the first answer. Errors: there is no ssh.
    static Result<std::unique_ptr<HostConnection>> open(const ClusterProfile& profile, std::size_t host);
    ~HostConnection();
    HostConnection(const HostConnection&) = delete;
    HostConnection& operator=(const HostConnection&) = delete;

    [[nodiscard]] const std::string& name() const { return name_; }
    // Called while an answer is waited for: whether the user has given up, and what is to be done meanwhile.
    void setWaitCallbacks(std::function<bool()> stopped, std::function<void()> meanwhile) {
        stopped_ = std::move(stopped);
        meanwhile_ = std::move(meanwhile);
    }

    // Sends {"do": what, …}. Errors: the connection is gone, with what ssh said.
    Status tell(const char* what, nlohmann::json more = nlohmann::json::object());
    void tellAlive();
    // Tells the host and waits for its answer. Errors: those of tell(), an error that the host answers, no answer in
    // time, and a user who has given up; each begins with the host's name.
    Result<nlohmann::json> ask(const char* what, nlohmann::json more, std::chrono::milliseconds patience);
    // For asking several hosts at once: tell() all, then await each.
    Result<nlohmann::json> answer(const char* what, std::chrono::milliseconds patience);

    // Drops events of an earlier run, which must not be taken for those of the next.
    void forgetEvents() { events_.clear(); }
    // The next event of the host, as {"event": …}; nullopt if there is none within `patience`.
    [[nodiscard]] std::optional<nlohmann::json> event(std::chrono::milliseconds patience);
    [[nodiscard]] int fd() const { return process_.reportFd(); }
    // True if the connection stands and the host sent something within `silence`.
    [[nodiscard]] bool isAlive(std::chrono::seconds silence = kMostSilence) const;
    // Why it is not, with the host's name and what to do.
    [[nodiscard]] std::string whyLost();

private:
    HostConnection(std::string name, std::string ssh, ChildProcess process, Descriptor input, Descriptor errors);
    void take(std::chrono::milliseconds patience);
    void takeErrors();

    std::string name_, ssh_;
    ChildProcess process_;
    Descriptor input_, errors_;
    std::optional<FrameChannel> channel_;  // over descriptors of these two; always there but at the very end
    std::deque<nlohmann::json> answers_, events_;
    std::string said_;  // on stderr, its end
    std::function<bool()> stopped_ = [] { return false; };
    std::function<void()> meanwhile_ = [] {};
    std::deque<std::string> late_;  // asked, and not waited for any more
    bool closed_ = false, answered_ = false;
};

}  // namespace dasgd::experiments
