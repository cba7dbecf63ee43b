#include "experiments/transport/pipe/json_lines.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <cerrno>

#include "experiments/base/text.h"

namespace dasgd::experiments {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kWritePatience{10'000};

}  // namespace

bool JsonLineReader::read(milliseconds patience) {
    if (ended_) return false;
    pollfd wait{fd_, POLLIN, 0};
    if (::poll(&wait, 1, static_cast<int>(patience.count())) <= 0) return true;
    char buffer[16384];
    const ssize_t got = ::read(fd_, buffer, sizeof buffer);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    if (got > 0) pending_.append(buffer, static_cast<std::size_t>(got));
    ended_ = got <= 0 || pending_.size() > kMostBytes;
    return !ended_;
}

std::optional<nlohmann::json> JsonLineReader::next() {
    for (std::size_t end; (end = pending_.find('\n')) != std::string::npos;) {
        std::string line = pending_.substr(0, end);
        pending_.erase(0, end + 1);
        auto json = nlohmann::json::parse(line, nullptr, false);
        if (json.is_object()) return json;
        if (!line.empty()) stray_ = std::move(line);
    }
    return std::nullopt;
}

Status writeJsonLine(int fd, const nlohmann::json& line) {
    const std::string text = dumpLine(line) + "\n";
    const auto until = steady_clock::now() + kWritePatience;
    // A descriptor that blocks would hold us up for as long as the other end likes.
    const int flags = ::fcntl(fd, F_GETFL);
    if ((flags & O_NONBLOCK) == 0) ::fcntl(fd, F_SETFL, flags | O_NONBLOCK);
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t put = ::write(fd, text.data() + done, text.size() - done);
        if (put > 0) done += static_cast<std::size_t>(put);
        if (put >= 0 || errno == EINTR) continue;
        if (errno != EAGAIN) return fail(std::string("the other end is gone: ") + ::strerror(errno));
        const auto left = std::chrono::duration_cast<milliseconds>(until - steady_clock::now());
        if (left.count() <= 0) return fail("the other end has taken nothing for 10 s");
        pollfd wait{fd, POLLOUT, 0};
        ::poll(&wait, 1, static_cast<int>(left.count()));
    }
    return {};
}

}  // namespace dasgd::experiments
