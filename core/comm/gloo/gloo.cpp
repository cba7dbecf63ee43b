#include "core/comm/gloo/gloo.h"

#include <torch/types.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "core/comm/completion.h"
#include "core/comm/gloo/gloo_exchange.h"
#include "core/comm/gloo/gloo_messages.h"
#include "core/comm/gloo/local_peers.h"
#include "core/comm/gloo/store_handle.h"
#include "core/comm/group_keys.h"
#include "core/comm/group_maths.h"

namespace dasgd {

using std::chrono::milliseconds;

namespace {

// Our deadline of a collective lies this much after Gloo's own; it takes effect where Gloo drops its own
// (pytorch/gloo#520).
constexpr milliseconds kGrace{2000};

// State shared by all groups of a rank.
struct GlooSetting {
    c10::intrusive_ptr<c10d::Store> store;
    std::shared_ptr<gloo::transport::Device> device;
    milliseconds timeout;
    const Clock& clock;
};

c10::intrusive_ptr<c10d::ProcessGroupGloo> connect(const GlooSetting& setting, const Group& group) {
    auto options = c10d::ProcessGroupGloo::Options::create(setting.timeout);
    options->devices.push_back(setting.device);
    options->threads = 1;  // collectives run in launch order
    c10::intrusive_ptr<c10d::Store> store = setting.store;
    const LocalPeers peers;
    if (!group.path.empty()) store = c10::make_intrusive<c10d::PrefixStore>("dasgd/group" + group.path, store);
    auto backend =
        c10::make_intrusive<c10d::ProcessGroupGloo>(std::move(store), group.rank.value(), group.size(), options);
    // Without this barrier a rank that finishes at once closes its connection while another is still connecting.
    c10d::BarrierOptions together;
    together.timeout = setting.timeout;
    backend->barrier(together)->wait();
    if (const Status own = peers.check(); !own) throw std::runtime_error(own.error().message);
    return backend;
}

// Work left for a collective once its bytes have arrived.
using Finish = std::function<void()>;

// End of a communicator's newest collective: they run one after the other.
struct Queue {
    std::mutex mutex;
    Ns lastEnd = 0;
};

// Completes `operation`, on Gloo's thread, or on the caller's where there was nothing to do.
void complete(Completion& operation, Queue& queue, const Finish& finish, const Clock& clock) {
    try {
        const at::NoGradGuard guard;
        if (finish) finish();
    } catch (const std::exception& error) {
        operation.fail(firstLine(error));
        return;
    }
    Interval interval;
    {
        const std::lock_guard lock(queue.mutex);
        interval.end = clock.now();
        interval.start = std::max(operation.launched(), std::exchange(queue.lastEnd, interval.end));
    }
    operation.end({interval, std::nullopt});
}

std::string failureText(c10::ivalue::Future& future) {
    try {
        std::rethrow_exception(future.exception_ptr());
    } catch (const std::exception& error) {
        return firstLine(error);
    }
}

class GlooCommunicator final : public Communicator {
public:
    GlooCommunicator(std::shared_ptr<const GlooSetting> setting, Group group,
                     c10::intrusive_ptr<c10d::ProcessGroupGloo> backend)
        : Communicator(std::move(group)),
          setting_(std::move(setting)),
          backend_(std::move(backend)),
          messages_(backend_, launching_, this->group(), setting_->timeout, setting_->clock),
          exchanges_(backend_, launching_) {}

private:
    using Work = c10::intrusive_ptr<c10d::Work>;

    Pending start(MessageCall call) override {
        if (call.sends) countSent(static_cast<std::int64_t>(call.tensor.nbytes()));
        return messages_.start(call);
    }

    std::unique_ptr<Communicator> open(Group group) override {
        try {
            group.key = keyOfGroup(group.path, [this, &group](std::uint32_t key) {
                return setting_->store->compareSet("dasgd/group-key/" + std::to_string(key), "", group.path);
            });
            auto backend = connect(*setting_, group);
            return std::make_unique<GlooCommunicator>(setting_, std::move(group), std::move(backend));
        } catch (const std::exception& error) {
            throw CommError(group.nameOf(group.rank) + ": its members did not connect: " + firstLine(error));
        }
    }

    Pending start(CollectiveCall call, std::uint64_t number) override {
        countSent(bytesOnWire(call, rank(), size()));
        const auto operation = std::make_shared<Completion>(
            Completion::Facts{.label = group().nameOf(rank()) + ": " + describe(call, number),
                              .launched = setting_->clock.now(),
                              .timeout = setting_->timeout + kGrace});
        if (call.out.numel() == 0 || size() == 1) {
            complete(
                *operation, *queue_,
                [&] {
                    if (!call.out.is_same(call.in)) call.out.view(-1).copy_(call.in.view(-1));
                },
                setting_->clock);
            return Pending(operation, number);
        }
        try {
            launch(call, operation);
        } catch (const std::exception& error) {
            operation->fail(firstLine(error));
        }
        return Pending(operation, number);
    }

    void launch(const CollectiveCall& call, const std::shared_ptr<Completion>& operation) {
        switch (call.kind) {
            case CollectiveKind::AllReduce: {
                c10d::AllreduceOptions options;
                options.reduceOp = call.op == Reduce::Max ? c10d::ReduceOp::MAX : c10d::ReduceOp::SUM;
                options.timeout = setting_->timeout;
                const bool isMean = call.op == Reduce::Mean;
                return hand(
                    operation, isMean ? Finish([out = call.out, ranks = size()] { out.div_(ranks); }) : Finish(),
                    [&](std::vector<at::Tensor>& out) { return backend_->allreduce(out, options); }, call.out);
            }
            case CollectiveKind::Broadcast: {
                c10d::BroadcastOptions options;
                options.rootRank = call.root.value();
                options.timeout = setting_->timeout;
                return hand(
                    operation, {}, [&](std::vector<at::Tensor>& out) { return backend_->broadcast(out, options); },
                    call.out);
            }
            case CollectiveKind::ReduceScatter: {
                const at::Tensor rows = at::empty_like(call.in);
                const auto add = [rows, out = call.out, op = call.op, ranks = size()] {
                    out.view(-1).copy_(reducePairwise(rows.view({ranks, -1}).unbind(0), op));
                };
                return exchange({rowsOf(call.in), rowsOf(rows), add}, operation);
            }
            case CollectiveKind::AllToAll: return exchange({rowsOf(call.in), rowsOf(call.out), {}}, operation);
            case CollectiveKind::AllGather: return exchange({repeated(call.in), rowsOf(call.out), {}}, operation);
            case CollectiveKind::AllGatherV:
                return exchange({repeated(call.in), call.out.view(-1).split_with_sizes(call.counts), {}}, operation);
        }
    }

    // Has Gloo do the collective; `finish` is for when its bytes have arrived.
    void hand(const std::shared_ptr<Completion>& operation, const Finish& finish,
              const std::function<Work(std::vector<at::Tensor>&)>& begin, const at::Tensor& tensor) {
        std::vector<at::Tensor> out{tensor};
        const std::lock_guard lock(*launching_);
        begin(out)->getFuture()->addCallback(
            [operation, finish, queue = queue_, &clock = setting_->clock](c10::ivalue::Future& future) {
                if (future.hasError()) {
                    operation->fail(failureText(future));
                } else {
                    complete(*operation, *queue, finish, clock);
                }
            });
    }

    [[nodiscard]] std::vector<at::Tensor> rowsOf(const at::Tensor& tensor) const {
        return tensor.view({size(), -1}).unbind(0);
    }
    [[nodiscard]] std::vector<at::Tensor> repeated(const at::Tensor& tensor) const {
        return std::vector<at::Tensor>(static_cast<std::size_t>(size()), tensor.view(-1));
    }

    // A row for each rank, and one from each.
    struct Exchange {
        std::vector<at::Tensor> from, into;
        Finish finish;
    };
    void exchange(const Exchange& rows, const std::shared_ptr<Completion>& operation) {
        const auto own = static_cast<std::size_t>(rank().value());
        const Finish finish = [rows, own] {
            if (rows.from[own].data_ptr() != rows.into[own].data_ptr()) rows.into[own].copy_(rows.from[own]);
            if (rows.finish) rows.finish();
        };
        exchanges_.start(rows.from, rows.into,
                         [operation, finish, queue = queue_, &clock = setting_->clock](const std::string& failure) {
                             if (failure.empty()) {
                                 complete(*operation, *queue, finish, clock);
                             } else {
                                 operation->fail(failure);
                             }
                         });
    }

    const std::shared_ptr<const GlooSetting> setting_;
    const std::shared_ptr<std::mutex> launching_ = std::make_shared<std::mutex>();
    const std::shared_ptr<Queue> queue_ = std::make_shared<Queue>();
    c10::intrusive_ptr<c10d::ProcessGroupGloo> backend_;
    GlooMessages messages_;
    GlooExchanges exchanges_;
};

// Settings of the process; made once, before its first group.
void prepareProcess() {
    // Gloo writes to sockets without MSG_NOSIGNAL: without this, the death of a peer ends this rank by SIGPIPE.
    std::signal(SIGPIPE, SIG_IGN);
    // c10d's flight recorder does not lock the tables that several groups write.
    ::setenv("TORCH_FR_BUFFER_SIZE", "0", 1);
}

}  // namespace

Result<std::unique_ptr<Communicator>> makeGloo(const Rendezvous& rendezvous, const GlooOptions& options,
                                               const Clock& clock) {
    static std::once_flag prepared;
    std::call_once(prepared, prepareProcess);
    try {
        auto device = options.interface.isLoopback()
                          ? c10d::ProcessGroupGloo::createDeviceForHostname(options.interface.address)
                          : c10d::ProcessGroupGloo::createDeviceForInterface(options.interface.name);
        const auto setting = std::make_shared<const GlooSetting>(
            GlooSetting{rendezvous.handle().store, std::move(device), options.timeout, clock});
        Group group = Group::whole(options.rank, options.size);
        auto backend = connect(*setting, group);
        return std::make_unique<GlooCommunicator>(setting, std::move(group), std::move(backend));
    } catch (const std::exception& error) {
        return fail("rank " + std::to_string(options.rank.value()) + ": the " + std::to_string(options.size) +
                    " workers did not connect over " + options.interface.name + " (" + options.interface.address +
                    "): " + firstLine(error));
    }
}

}  // namespace dasgd
