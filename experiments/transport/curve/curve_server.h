// A socket on one address that only those who know the run's secret can open, and a thread that answers what they ask.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "experiments/transport/curve/curve_socket.h"

namespace dasgd::experiments {

// A request is its name, which the answer repeats, and one part at least. The name is eight bytes of the client, which
// no other has, and eight of the request, a number that grows: what is lost with a connection is asked again under the
// name that it had, over a connection that may be another. So a request is carried out once; only after an answer of
// more than kLongestRemembered bytes a repeated one is carried out again.
namespace request_name {
inline constexpr std::size_t kClientBytes = 8, kBytes = kClientBytes + sizeof(std::uint64_t);
}
inline constexpr std::size_t kLongestRemembered = std::size_t{64} << 10;

// First part of an answer, one character: here it is; it is not there; not yet; what is wrong with the request, in
// words.
inline constexpr char kYes = 'y', kNo = 'n', kNotYet = 'w', kRefused = 'x';
[[nodiscard]] Parts answerOf(char kind, std::string bytes = "");

// Serves until it is destroyed. Whoever has no key of the run's secret is not let in.
class CurveServer {
public:
    // Called by the thread; the answer has two parts at least.
    using Answer = std::function<Parts(const Parts& request)>;
    struct Options {
        std::string address;  // of the one interface, a number of IPv4 or IPv6
        int port = 0;         // 0: any that is free
        // To a client that does not read; ZeroMQ drops more without a word, and counts one as waiting until some time
        // after it was read.
        int mostAnswers = 8;
    };
    // Errors: it cannot be bound to, in ZeroMQ's words.
    static Result<std::unique_ptr<CurveServer>> start(const Options& options, const RunSecret& secret, Answer answer);
    ~CurveServer();
    CurveServer(const CurveServer&) = delete;
    CurveServer& operator=(const CurveServer&) = delete;

    // "tcp://10.0.0.1:40013".
    [[nodiscard]] const std::string& endpoint() const;
    [[nodiscard]] int port() const;
    // How many came with another secret, or none, and were not let in. Any thread.
    [[nodiscard]] std::int64_t turnedAway() const;
    // Messages of those who were let in that are no requests, or were refused. Any thread.
    [[nodiscard]] std::int64_t refused() const;

private:
    class Work;
    explicit CurveServer(std::unique_ptr<Work> work);
    std::unique_ptr<Work> work_;
};

}  // namespace dasgd::experiments
