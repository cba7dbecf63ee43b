#include "experiments/transport/files/file_server.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <future>
#include <map>
#include <thread>

#include "core/base/make_folders.h"
#include "core/base/unfinished_checkpoints.h"
#include "experiments/base/process.h"
#include "experiments/transport/curve/curve_gate.h"
#include "experiments/transport/curve/curve_socket.h"
#include "experiments/transport/curve/wire.h"
#include "experiments/transport/files/run_file.h"

namespace dasgd::experiments {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kServeRest{20};
// To one rank: ZeroMQ drops more without a word, and counts one as waiting until some time after it was read.
constexpr int kMostAnswers = 64;

Parts done(std::string bytes = "") { return {std::string(1, file_post::kYes), std::move(bytes)}; }
Parts refused(const std::string& why) { return {std::string(1, file_post::kWrong), why}; }

std::string reason() { return ::strerror(errno); }

// A file on its way: beside its place until all of it is there.
class Arrival {
public:
    // `run`: the folder of the run; `name`: of the file in it.
    Arrival(fs::path run, std::string name) : run_(std::move(run)), name_(std::move(name)), place_(run_ / name_) {
        aside_ = place_;
        aside_ += kFileArriving;
    }
    ~Arrival() {
        if (ending_.valid()) ending_.wait();
        if (out_) ::unlink(aside_.c_str());
    }
    Arrival(const Arrival&) = delete;
    Arrival& operator=(const Arrival&) = delete;

    // Its file is being brought to the disk, or what follows from that is done.
    [[nodiscard]] bool isEnding() const {
        return ending_.valid() && ending_.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
    }

    // Not while it is ending.
    Status put(std::int64_t offset, const std::string& bytes) {
        if (offset == 0) DASGD_TRY(begin());
        if (!out_ || offset > size_) return fail(name_ + ": a part of it is missing; send it again");
        if (::pwrite(out_.get(), bytes.data(), bytes.size(), offset) != static_cast<ssize_t>(bytes.size())) {
            return fail(place_.string() + ": cannot be written: " + reason());
        }
        size_ = std::max(size_, offset + static_cast<std::int64_t>(bytes.size()));
        return {};
    }

    // nullopt: not yet.
    std::optional<Status> end(std::int64_t size, const std::function<Status(const std::string&)>& arrived) {
        if (ended_) return ended_;
        if (!ending_.valid()) {
            if (!out_ || size != size_) return Status(fail(name_ + ": not all of it came; send it again"));
            ending_ = std::async(std::launch::async, [this, &arrived]() -> Status {
                DASGD_TRY(settle());
                try {
                    return arrived ? arrived(name_) : Status{};
                } catch (const std::exception& error) {
                    return fail(name_ + ": " + error.what());
                }
            });
        }
        if (isEnding()) return std::nullopt;
        return ended_ = ending_.get();
    }

private:
    Status begin() {
        ended_.reset();
        ending_ = {};
        size_ = 0;
        // Where they cannot be made the file cannot be opened, which says why.
        static_cast<void>(makeFoldersBelow(run_, fs::path(name_).parent_path()));
        out_ = Descriptor(::open(aside_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
        return out_ ? Status{} : fail(place_.string() + ": cannot be written: " + reason());
    }

    Status settle() {
        const bool written = ::fsync(out_.get()) == 0 && ::rename(aside_.c_str(), place_.c_str()) == 0;
        const std::string why = reason();
        out_ = Descriptor();
        if (!written) ::unlink(aside_.c_str());
        return written ? Status{} : fail(place_.string() + ": cannot be written: " + why);
    }

    fs::path run_;
    std::string name_;
    fs::path place_, aside_;
    Descriptor out_;
    std::int64_t size_ = 0;
    std::optional<Status> ended_;
    std::future<Status> ending_;  // last: it is waited for before the rest goes
};

class CurveFileServer final : public FileServer {
public:
    CurveFileServer(Options options, const RunSecret& secret)
        : options_(std::move(options)), gate_(context_, secret.forwarderKeys().publicKey) {
        setLimits(router_);
        router_.set(zmq::sockopt::sndhwm, kMostAnswers);
        serveWith(router_, secret.collectorKeys());
        CurveGate::putBefore(router_);
    }
    ~CurveFileServer() override {
        stop_ = true;
        if (thread_.joinable()) thread_.join();
    }
    CurveFileServer(const CurveFileServer&) = delete;
    CurveFileServer& operator=(const CurveFileServer&) = delete;

    Status bind() {
        try {
            router_.set(zmq::sockopt::ipv6, options_.address.find(':') != std::string::npos);
            router_.bind(tcpEndpoint(options_.address, 0));
        } catch (const zmq::error_t& error) {
            return fail("checkpoints of other hosts cannot be taken in at " + options_.address + ": " + error.what());
        }
        endpoint_ = router_.get(zmq::sockopt::last_endpoint);
        thread_ = std::thread([this] { serve(); });
        return {};
    }

    [[nodiscard]] const std::string& endpoint() const override { return endpoint_; }
    [[nodiscard]] std::int64_t moved() const override { return moved_; }

private:
    void serve() {
        while (!stop_) {
            zmq::pollitem_t items[]{{router_.handle(), 0, ZMQ_POLLIN, 0}, {gate_.socket().handle(), 0, ZMQ_POLLIN, 0}};
            zmq::poll(items, 2, kServeRest);
            gate_.admitWaiting();
            while (const auto message = receiveNow(router_)) {
                if (message->size() < 3) continue;
                const Parts said = answer(Parts(message->begin() + 2, message->end()));
                if (said[0].front() != file_post::kWrong) ++moved_;
                sendNow(router_, {(*message)[0], (*message)[1], said[0], said[1]});
            }
            std::erase_if(replaced_, [](const auto& arrival) { return !arrival->isEnding(); });
        }
    }

    // `request`: operation, operands.
    Parts answer(const Parts& request) {
        const char operation = request.front().size() == 1 ? request.front().front() : '?';
        if (operation == file_post::kGet && request.size() == 3)
            return give(request[1], decimalOf(request[2]).value_or(-1));
        const bool puts = operation == file_post::kPut && request.size() == 5,
                   ends = operation == file_post::kEnd && request.size() == 4;
        const auto rank = puts || ends ? decimalOf(request[1]) : std::nullopt;
        const auto number = puts || ends ? decimalOf(request[3]) : std::nullopt;
        if (!rank || !number || *number < 0) return refused("no such request");
        Arrival* arrival = arrivalOf(*rank, request[2]);
        if (!arrival) return refused("'" + request[2] + "' is no file that rank " + request[1] + " sends");
        const Parts notYet{std::string(1, file_post::kWait), ""};
        if (puts) {
            if (arrival->isEnding()) return notYet;
            const Status written = arrival->put(*number, request[4]);
            return written ? done() : refused(written.error().message);
        }
        const auto ended = arrival->end(*number, options_.arrived);
        if (!ended) return notYet;
        return *ended ? done() : refused(ended->error().message);
    }

    Arrival* arrivalOf(std::int64_t rank, const std::string& name) {
        if (std::ranges::count(options_.ranks, rank) == 0 || !isSentByRank(name, Rank(static_cast<int>(rank)))) {
            return nullptr;
        }
        // One part of a checkpoint arrives at a time from each rank; an earlier one is complete or was given up.
        const bool part = stepOfPart(name).has_value();
        std::unique_ptr<Arrival>& arrival = arrivals_[{rank, part ? "" : name}];
        // Nobody waits for the disk with it.
        if (part && latest_[rank] != name && arrival && arrival->isEnding()) replaced_.push_back(std::move(arrival));
        if (part && latest_[rank] != name) arrival.reset();
        if (part) latest_[rank] = name;
        if (!arrival) arrival = std::make_unique<Arrival>(options_.folder, name);
        return arrival.get();
    }

    Parts give(const std::string& name, std::int64_t offset) const {
        if (options_.goesFrom.empty() || !isInCheckpoint(name) || offset < 0) return refused("no such file: " + name);
        const Descriptor in(::open((options_.goesFrom / name).c_str(), O_RDONLY | O_CLOEXEC));
        std::string bytes(file_post::kChunkBytes, '\0');
        const ssize_t got = in ? ::pread(in.get(), bytes.data(), bytes.size(), offset) : -1;
        if (got < 0) return refused((options_.goesFrom / name).string() + ": cannot be read: " + reason());
        bytes.resize(static_cast<std::size_t>(got));
        return done(std::move(bytes));
    }

    const Options options_;
    zmq::context_t context_{1};
    zmq::socket_t router_{context_, zmq::socket_type::router};
    CurveGate gate_;
    std::string endpoint_;
    std::map<std::pair<std::int64_t, std::string>, std::unique_ptr<Arrival>> arrivals_;
    std::map<std::int64_t, std::string> latest_;      // name of the newest part of a checkpoint, by rank
    std::vector<std::unique_ptr<Arrival>> replaced_;  // arrivals that newer ones replaced while they were ending
    std::atomic<std::int64_t> moved_{0};
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<FileServer>> FileServer::start(Options options, const RunSecret& secret) {
    auto server = std::make_unique<CurveFileServer>(std::move(options), secret);
    DASGD_TRY(server->bind());
    return std::unique_ptr<FileServer>(std::move(server));
}

}  // namespace dasgd::experiments
