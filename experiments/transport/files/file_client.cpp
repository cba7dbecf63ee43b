#include "experiments/transport/files/file_client.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <thread>

#include "experiments/transport/curve/curve_socket.h"
#include "experiments/transport/files/file_server.h"

namespace dasgd::experiments {

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kGlanceAtAnswer{100}, kAskRest{50};
// A slow link is not filled with what is on it already.
constexpr milliseconds kFirstAskAgain{1000}, kLastAskAgain{30'000};

class Connection {
public:
    Connection(const std::string& endpoint, const RunSecret& secret, milliseconds patience)
        : endpoint_(endpoint), patience_(patience) {
        setLimits(socket_);
        connectWith(socket_, secret.collectorKeys().publicKey, secret.forwarderKeys());
        socket_.set(zmq::sockopt::reconnect_ivl, 100);
        socket_.set(zmq::sockopt::immediate, true);
        socket_.set(zmq::sockopt::ipv6, endpoint.find('[') != std::string::npos);
        socket_.connect(endpoint);
    }

    // The answer's bytes. What was lost with a connection is asked again.
    Result<std::string> ask(const Parts& request) {
        ++number_;
        std::string number(sizeof number_, '\0');
        std::memcpy(number.data(), &number_, sizeof number_);
        Parts message{number};
        message.insert(message.end(), request.begin(), request.end());
        auto now = steady_clock::now();
        const auto until = now + patience_;
        bool sent = false;
        for (auto again = now; now < until; now = steady_clock::now()) {
            if (now >= again && sendNow(socket_, message)) {
                if (sent) askAgain_ = std::min(2 * askAgain_, kLastAskAgain);
                sent = true;
                again = now + askAgain_;
            }
            zmq::pollitem_t item{socket_.handle(), 0, ZMQ_POLLIN, 0};
            zmq::poll(&item, 1, sent ? kGlanceAtAnswer : kAskRest);
            while (const auto answer = receiveNow(socket_)) {
                if (answer->size() != 3 || answer->front() != number || (*answer)[1].size() != 1) continue;
                return answerOf(*answer);
            }
        }
        return fail("rank 0's host does not answer at " + endpoint_);
    }
    [[nodiscard]] bool isDone() const { return done_; }

private:
    Result<std::string> answerOf(const Parts& answer) {
        const char kind = answer[1].front();
        done_ = kind == file_post::kYes;
        if (kind == file_post::kWrong) return fail("rank 0's host: " + answer[2]);
        return answer[2];
    }

    const std::string& endpoint_;
    const milliseconds patience_;
    milliseconds askAgain_ = kFirstAskAgain;  // longer than answers took so far
    zmq::context_t context_{1};
    zmq::socket_t socket_{context_, zmq::socket_type::dealer};
    std::uint64_t number_ = 0;
    bool done_ = false;
};

Status askUntilDone(Connection& there, const Parts& request) {
    while (true) {
        DASGD_TRY(there.ask(request));
        if (there.isDone()) return {};
        std::this_thread::sleep_for(kAskRest);
    }
}

Status sendAll(Connection& there, const std::string& rank, const fs::path& file, const std::string& name,
               std::int64_t from) {
    std::ifstream in(file, std::ios::binary);
    in.seekg(from);
    if (!in) return fail(file.string() + ": cannot be read");
    std::string bytes(file_post::kChunkBytes, '\0');
    std::int64_t at = 0;
    while (true) {
        in.read(bytes.data(), static_cast<std::streamsize>(file_post::kChunkBytes));
        const auto got = static_cast<std::size_t>(in.gcount());
        // Also of an empty file: its place is made with the first part.
        if (got == 0 && at > 0) break;
        DASGD_TRY(askUntilDone(
            there, {std::string(1, file_post::kPut), rank, name, std::to_string(at), bytes.substr(0, got)}));
        at += static_cast<std::int64_t>(got);
        if (got < file_post::kChunkBytes) break;
    }
    if (in.bad()) return fail(file.string() + ": cannot be read");
    return askUntilDone(there, {std::string(1, file_post::kEnd), rank, name, std::to_string(at)});
}

Status fetchAll(Connection& there, const std::string& name, const fs::path& file) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    std::int64_t at = 0;
    while (out) {
        DASGD_ASSIGN(const std::string bytes, there.ask({std::string(1, file_post::kGet), name, std::to_string(at)}));
        if (bytes.empty()) break;
        out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        at += static_cast<std::int64_t>(bytes.size());
    }
    out.flush();
    return out ? Status{} : fail(file.string() + ": cannot be written");
}

template <class Work>
Status over(const std::string& endpoint, Work&& work) {
    try {
        return work();
    } catch (const zmq::error_t& error) {
        return fail("cannot reach rank 0's host at " + endpoint + ": " + error.what());
    }
}

}  // namespace

Status FileClient::send(const fs::path& file, const std::string& name, std::int64_t from) const {
    return over(endpoint_, [&] {
        Connection there(endpoint_, secret_, patience_);
        return sendAll(there, std::to_string(rank_.value()), file, name, from);
    });
}

Status FileClient::fetch(const std::string& name, const fs::path& file) const {
    return over(endpoint_, [&] {
        Connection there(endpoint_, secret_, patience_);
        return fetchAll(there, name, file);
    });
}

}  // namespace dasgd::experiments
