#include "core/comm/gloo.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <arpa/inet.h>

#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <mutex>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "core/base/check.h"

namespace dasgd {

using std::chrono::milliseconds;

class Rendezvous::Impl {
public:
    explicit Impl(c10::intrusive_ptr<c10d::Store> store) : store_(std::move(store)) {}
    [[nodiscard]] const c10::intrusive_ptr<c10d::Store>& store() const { return store_; }

private:
    c10::intrusive_ptr<c10d::Store> store_;
};

namespace {

// First line of a library's message: the rest is its own stack.
std::string firstLine(const std::exception& error) {
    const std::string text = error.what();
    return text.substr(0, text.find('\n'));
}

Result<int> listenOn(const std::string& address, int port) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return fail(std::string("cannot make a socket: ") + std::strerror(errno));
    const int yes = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in own{};
    own.sin_family = AF_INET;
    own.sin_port = htons(static_cast<std::uint16_t>(port));
    inet_pton(AF_INET, address.c_str(), &own.sin_addr);
    if (bind(fd, reinterpret_cast<sockaddr*>(&own), sizeof own) != 0 || listen(fd, 1024) != 0) {
        const std::string why = std::strerror(errno);
        close(fd);
        return fail("rank 0 cannot listen on " + address + ":" + std::to_string(port) + ": " + why +
                    ". MASTER_ADDR must be an address of the host of rank 0 and MASTER_PORT a free port.");
    }
    return fd;
}

// One operation on Gloo's queue. Gloo runs its queue in order on one thread, so an operation begins when it was
// launched or when the one before it ended, whichever is later.
class GlooOperation final : public Pending::Operation {
public:
    struct Facts {
        std::string label;  // "rank 2: all_reduce #17 (247 kB)"
        Ns launched = 0;
        milliseconds deadline{};
    };
    GlooOperation(Facts facts, std::shared_ptr<GlooOperation> before)
        : facts_(std::move(facts)), before_(std::move(before)) {}

    // On Gloo's thread.
    void complete(Ns now, std::exception_ptr error) {
        const Ns free = before_ ? before_->endSoFar() : 0;
        const std::lock_guard lock(mutex_);
        interval_ = {std::max(facts_.launched, free), now};
        before_.reset();
        error_ = std::move(error);
        done_ = true;
        condition_.notify_all();
    }

    void wait() override {
        std::unique_lock lock(mutex_);
        // Gloo's own deadline comes first; this one holds where Gloo drops its own (pytorch/gloo#520).
        const bool inTime = condition_.wait_for(lock, facts_.deadline + milliseconds(2000), [&] { return done_; });
        if (!inTime) throw CommError(facts_.label + " did not end within its deadline");
        if (error_) rethrow();
    }
    bool done() override {
        const std::lock_guard lock(mutex_);
        return done_;
    }
    Interval interval() override { return interval_; }

private:
    Ns endSoFar() {
        const std::lock_guard lock(mutex_);
        return interval_.end;
    }

    [[noreturn]] void rethrow() const {
        try {
            std::rethrow_exception(error_);
        } catch (const std::exception& error) {
            throw CommError(facts_.label + " failed: " + firstLine(error));
        }
    }

    Facts facts_;
    std::shared_ptr<GlooOperation> before_;
    std::mutex mutex_;
    std::condition_variable condition_;
    bool done_ = false;
    std::exception_ptr error_;
    Interval interval_;
};

// Point to point: Gloo completes these on its device thread; there is no callback, so the end is seen at the wait.
class GlooMessage final : public Pending::Operation {
public:
    GlooMessage(c10::intrusive_ptr<c10d::Work> work, std::string label, const Clock& clock, milliseconds deadline)
        : work_(std::move(work)), label_(std::move(label)), clock_(clock), deadline_(deadline) {
        interval_.start = clock_.now();
    }
    void wait() override {
        try {
            if (!work_->wait(deadline_)) throw CommError(label_ + " did not end within its deadline");
        } catch (const CommError&) {
            throw;
        } catch (const std::exception& error) {
            throw CommError(label_ + " failed: " + firstLine(error));
        }
        interval_.end = clock_.now();
        ended_ = true;
    }
    bool done() override { return ended_; }
    Interval interval() override { return interval_; }

private:
    c10::intrusive_ptr<c10d::Work> work_;
    std::string label_;
    const Clock& clock_;
    milliseconds deadline_;
    Interval interval_;
    bool ended_ = false;
};

class GlooCommunicator final : public Communicator {
public:
    GlooCommunicator(c10::intrusive_ptr<c10d::ProcessGroupGloo> group, const GlooOptions& options, const Clock& clock)
        : Communicator(options.rank, options.size),
          group_(std::move(group)),
          timeout_(options.timeout),
          clock_(clock) {}

    Pending allReduce(at::Tensor& tensor, Reduce op) override {
        c10d::AllreduceOptions options;
        options.reduceOp = op == Reduce::Max ? c10d::ReduceOp::MAX : c10d::ReduceOp::SUM;
        options.timeout = timeout_;
        countSent(2 * static_cast<std::int64_t>(tensor.nbytes()) * (size() - 1) / size());
        const int divisor = op == Reduce::Mean ? size() : 1;
        return launch("all_reduce", tensor, divisor, [&] {
            std::vector<at::Tensor> tensors{tensor};
            return group_->allreduce(tensors, options);
        });
    }

    Pending allGather(const at::Tensor& in, at::Tensor& out) override {
        c10d::AllgatherOptions options;
        options.timeout = timeout_;
        countSent(static_cast<std::int64_t>(in.nbytes()) * (size() - 1));
        if (size() == 1) out.copy_(in.unsqueeze(0));
        return launch("all_gather", out, 1, [&] {
            std::vector<std::vector<at::Tensor>> outputs(1);
            for (int r = 0; r < size(); ++r) outputs[0].push_back(out.select(0, r));
            std::vector<at::Tensor> inputs{in};
            return group_->allgather(outputs, inputs, options);
        });
    }

    Pending broadcast(at::Tensor& tensor, Rank root) override {
        c10d::BroadcastOptions options;
        options.rootRank = root.value();
        options.timeout = timeout_;
        if (root == rank()) countSent(static_cast<std::int64_t>(tensor.nbytes()) * (size() - 1));
        return launch("broadcast", tensor, 1, [&] {
            std::vector<at::Tensor> tensors{tensor};
            return group_->broadcast(tensors, options);
        });
    }

    Pending send(const at::Tensor& tensor, Rank to, int tag) override {
        countSent(static_cast<std::int64_t>(tensor.nbytes()));
        std::vector<at::Tensor> tensors{tensor};
        return message("send to rank " + std::to_string(to.value()), group_->send(tensors, to.value(), tag));
    }

    Pending receive(at::Tensor& tensor, Rank from, int tag) override {
        std::vector<at::Tensor> tensors{tensor};
        return message("receive from rank " + std::to_string(from.value()), group_->recv(tensors, from.value(), tag));
    }

private:
    template <class Start>
    Pending launch(const char* what, at::Tensor tensor, int divisor, Start start) {
        const std::uint64_t number = nextCollective();
        GlooOperation::Facts facts{"rank " + std::to_string(rank().value()) + ": " + what + " #" +
                                       std::to_string(number) + " (" + std::to_string(tensor.nbytes()) + " bytes)",
                                   clock_.now(), timeout_};
        auto operation = std::make_shared<GlooOperation>(std::move(facts), last_);
        last_ = operation;
        // An empty tensor is nothing to send, and c10d refuses it.
        if (tensor.numel() == 0 || size() == 1) {
            operation->complete(clock_.now(), nullptr);
            return Pending(operation, number);
        }
        const c10::intrusive_ptr<c10d::Work> work = [&]() -> c10::intrusive_ptr<c10d::Work> {
            try {
                return start();
            } catch (const std::exception& error) {
                operation->complete(clock_.now(), std::make_exception_ptr(CommError(firstLine(error))));
                return nullptr;
            }
        }();
        if (!work) return Pending(operation, number);
        work->getFuture()->addCallback(
            [operation, tensor, divisor, &clock = clock_](c10::ivalue::Future& future) mutable {
                if (future.hasError()) {
                    operation->complete(clock.now(), future.exception_ptr());
                    return;
                }
                if (divisor > 1) {
                    const at::NoGradGuard guard;
                    tensor.div_(divisor);
                }
                operation->complete(clock.now(), nullptr);
            });
        return Pending(operation, number);
    }

    Pending message(const std::string& what, c10::intrusive_ptr<c10d::Work> work) {
        return Pending(std::make_shared<GlooMessage>(
            std::move(work), "rank " + std::to_string(rank().value()) + ": " + what, clock_, timeout_));
    }

    c10::intrusive_ptr<c10d::ProcessGroupGloo> group_;
    milliseconds timeout_;
    const Clock& clock_;
    std::shared_ptr<GlooOperation> last_;
};

}  // namespace

Result<Rendezvous> Rendezvous::file(const std::filesystem::path& path, int size, milliseconds timeout) {
    try {
        auto store = c10::make_intrusive<c10d::FileStore>(path.string(), size);
        store->setTimeout(timeout);
        return Rendezvous(std::make_shared<Impl>(std::move(store)));
    } catch (const std::exception& error) {
        return fail(path.string() + ": cannot meet the other ranks through this file: " + firstLine(error));
    }
}

Result<Rendezvous> Rendezvous::tcp(const std::string& host, int port, Rank rank, int size, milliseconds timeout,
                                   bool servedElsewhere) {
    c10d::TCPStoreOptions options;
    options.port = static_cast<std::uint16_t>(port);
    options.isServer = rank.value() == 0 && !servedElsewhere;
    options.numWorkers = static_cast<std::size_t>(size);
    options.waitWorkers = false;
    options.timeout = timeout;
    // c10d's server listens on every interface unless it is given a socket; its libuv variant takes none.
    options.useLibUV = false;
    if (options.isServer) {
        DASGD_ASSIGN(const std::string address, resolveHost(host));
        DASGD_ASSIGN(const int fd, listenOn(address, port));
        options.masterListenFd = fd;
    }
    try {
        return Rendezvous(std::make_shared<Impl>(c10::make_intrusive<c10d::TCPStore>(host, options)));
    } catch (const std::exception& error) {
        return fail("rank " + std::to_string(rank.value()) + " cannot reach rank 0 at " + host + ":" +
                    std::to_string(port) + ": " + firstLine(error) +
                    ". Check MASTER_ADDR and MASTER_PORT, and that rank 0 is started.");
    }
}

Status Rendezvous::set(const std::string& key, const std::string& value) {
    try {
        impl_->store()->set("dasgd/" + key, std::vector<std::uint8_t>(value.begin(), value.end()));
        return {};
    } catch (const std::exception& error) {
        return fail("rendezvous: cannot set '" + key + "': " + firstLine(error));
    }
}

Result<std::string> Rendezvous::get(const std::string& key) {
    try {
        const std::vector<std::uint8_t> bytes = impl_->store()->get("dasgd/" + key);
        return std::string(bytes.begin(), bytes.end());
    } catch (const std::exception& error) {
        return fail("rendezvous: '" + key + "' did not come in time: " + firstLine(error));
    }
}

Result<std::unique_ptr<Communicator>> makeGloo(const Rendezvous& rendezvous, const GlooOptions& options,
                                               const Clock& clock) {
    // Gloo writes to sockets without MSG_NOSIGNAL: a peer that dies would take this rank along, without a word.
    std::signal(SIGPIPE, SIG_IGN);
    try {
        auto gloo = c10d::ProcessGroupGloo::Options::create(options.timeout);
        gloo->devices.push_back(options.interface.isLoopback()
                                    ? c10d::ProcessGroupGloo::createDeviceForHostname(options.interface.address)
                                    : c10d::ProcessGroupGloo::createDeviceForInterface(options.interface.name));
        gloo->threads = 1;  // in launch order; see GlooOperation
        auto group = c10::make_intrusive<c10d::ProcessGroupGloo>(rendezvous.impl().store(), options.rank.value(),
                                                                 options.size, gloo);
        // A rank that is done at once would otherwise hang up on one that is still connecting.
        c10d::BarrierOptions together;
        together.timeout = options.timeout;
        group->barrier(together)->wait();
        return std::make_unique<GlooCommunicator>(std::move(group), options, clock);
    } catch (const std::exception& error) {
        return fail("rank " + std::to_string(options.rank.value()) + ": the " + std::to_string(options.size) +
                    " workers did not connect over " + options.interface.name + " (" + options.interface.address +
                    "): " + firstLine(error));
    }
}

}  // namespace dasgd
