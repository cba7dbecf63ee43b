#include "core/comm/nccl/nccl.h"

#include <torch/types.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "core/comm/completion.h"
#include "core/comm/group_places.h"
#include "core/comm/nccl/device_messages.h"
#include "core/comm/nccl/nccl_group.h"
#include "core/comm/stream/stream_queue.h"
#include "core/comm/stream/watchdog.h"

namespace dasgd {

namespace {

constexpr std::chrono::microseconds kWatchEvery{1000};

// State shared by all groups of a rank.
struct NcclSetting {
    NcclSetting(const Rendezvous& rendezvous, const NcclOptions& options, const NcclDevice& device, const Clock& clock)
        : rendezvous(rendezvous), options(options), device(device), clock(clock) {}
    Rendezvous rendezvous;
    NcclOptions options;
    NcclDevice device;
    const Clock& clock;
    // The watchdog's thread queries events of this device; with another one selected CUDA would make a context for it.
    Watchdog watchdog{kWatchEvery, [this] {
                          try {
                              device.device.select();
                          } catch (const DeviceError&) {
                              // The first call of look() fails for the same reason, and reports it.
                          }
                      }};
};

int ncclTypeOf(const at::Tensor& tensor) {
    switch (tensor.scalar_type()) {
        case at::kDouble: return NcclApi::kDouble;
        case at::kFloat: return NcclApi::kFloat;
        case at::kHalf: return NcclApi::kHalf;
        case at::kBFloat16: return NcclApi::kBfloat16;
        case at::kLong: return NcclApi::kInt64;
        case at::kInt: return NcclApi::kInt32;
        case at::kByte: return NcclApi::kUint8;
        case at::kChar: return NcclApi::kInt8;
        default: break;
    }
    throw CommError(std::string("NCCL has no type for tensors of ") + c10::toString(tensor.scalar_type()));
}

int ncclOpOf(Reduce op) {
    switch (op) {
        case Reduce::Sum: return NcclApi::kSum;
        case Reduce::Mean: return NcclApi::kMean;
        case Reduce::Max: return NcclApi::kMax;
    }
    return NcclApi::kSum;
}

// The first error among what NCCL answers to the calls of one group.
struct NcclAnswers {
    int first = NcclApi::kSuccess;
    void note(int answer) {
        if (first == NcclApi::kSuccess && answer != NcclApi::kInProgress) first = answer;
    }
};

// Submits all messages that are not empty: both ends name as many bytes, so both leave out the same ones.
int submitExchange(const std::vector<MessageCall>& messages, const NcclApi& api, NcclHandle handle,
                   StreamHandle stream) {
    NcclAnswers answers;
    for (const MessageCall& message : messages) {
        const auto count = static_cast<std::size_t>(message.tensor.numel());
        if (count == 0) continue;
        const int type = ncclTypeOf(message.tensor), peer = message.peer.value().value();
        answers.note(message.sends ? api.send(message.tensor.const_data_ptr(), count, type, peer, handle, stream)
                                   : api.receive(message.tensor.data_ptr(), count, type, peer, handle, stream));
    }
    return answers.first;
}

// One rank's part in a collective, in NCCL's terms.
struct NcclCall {
    CollectiveCall call;
    int type;
    int rank, size;

    [[nodiscard]] int submit(const NcclApi& api, NcclHandle handle, StreamHandle stream) const {
        const void* in = call.in.const_data_ptr();
        void* out = call.out.data_ptr();
        const auto given = static_cast<std::size_t>(call.in.numel());
        const auto taken = static_cast<std::size_t>(call.out.numel());
        switch (call.kind) {
            case CollectiveKind::AllReduce:
                return api.allReduce(in, out, given, type, ncclOpOf(call.op), handle, stream);
            case CollectiveKind::ReduceScatter:
                return api.reduceScatter(in, out, taken, type, ncclOpOf(call.op), handle, stream);
            case CollectiveKind::AllGather: return api.allGather(in, out, given, type, handle, stream);
            case CollectiveKind::Broadcast:
                return api.broadcast(in, out, given, type, call.root.value(), handle, stream);
            case CollectiveKind::AllToAll: {
                const std::vector<std::int64_t> even(static_cast<std::size_t>(size), call.in.numel() / size);
                return exchange(api, handle, stream, even, even.front());
            }
            case CollectiveKind::AllGatherV: break;
        }
        return exchange(api, handle, stream, call.counts, 0);
    }

private:
    // Sends a message to each rank and receives one from each. The part for the next rank begins `stride` elements
    // further; counts[r] elements come from rank r.
    [[nodiscard]] int exchange(const NcclApi& api, NcclHandle handle, StreamHandle stream,
                               const std::vector<std::int64_t>& counts, std::int64_t stride) const {
        const auto width = static_cast<std::int64_t>(call.in.element_size());
        const char* in = static_cast<const char*>(call.in.const_data_ptr());
        char* out = static_cast<char*>(call.out.data_ptr());
        const auto own = static_cast<std::size_t>(counts[static_cast<std::size_t>(rank)]);
        NcclAnswers answers;
        for (int r = 0; r < size; ++r) {
            const std::int64_t count = counts[static_cast<std::size_t>(r)];
            if (own > 0) answers.note(api.send(in + r * stride * width, own, type, r, handle, stream));
            if (count > 0) answers.note(api.receive(out, static_cast<std::size_t>(count), type, r, handle, stream));
            out += count * width;
        }
        return answers.first;
    }
};

// Connects the group; null for a group of one rank.
Result<std::shared_ptr<NcclGroup>> connectNccl(NcclSetting& setting, const Group& group) {
    if (group.size() == 1) return nullptr;
    const NcclApi& api = setting.device.nccl;
    const std::string key = "nccl" + group.path;
    NcclId id{};
    if (group.rank == Rank{0}) {
        if (const int error = api.makeId(&id); error != NcclApi::kSuccess) {
            return fail(std::string("NCCL opens no place to meet: ") + api.errorText(error));
        }
        DASGD_TRY(setting.rendezvous.set(key, std::string(id.bytes, sizeof id.bytes)));
    } else {
        DASGD_ASSIGN(const std::string bytes, setting.rendezvous.get(key));
        if (bytes.size() != sizeof id.bytes) return fail("rendezvous: '" + key + "' is no id of NCCL");
        std::memcpy(id.bytes, bytes.data(), sizeof id.bytes);
    }
    setting.device.device.select();
    return NcclGroup::connect(api, id,
                              {.rank = group.rank.value(),
                               .size = group.size(),
                               .timeout = setting.options.timeout,
                               .channels = setting.options.channels});
}

class NcclCommunicator final : public Communicator {
public:
    NcclCommunicator(std::shared_ptr<NcclSetting> setting, Group group, std::shared_ptr<NcclGroup> nccl,
                     std::unique_ptr<Communicator> control)
        : Communicator(std::move(group)),
          setting_(std::move(setting)),
          control_(std::move(control)),
          queue_(setting_->device.device, setting_->device.times, setting_->clock,
                 {.compute = setting_->device.compute,
                  .priority = setting_->options.priority,
                  .timeout = setting_->options.timeout}),
          messages_(setting_->device.device, setting_->device.compute, *control_, setting_->clock,
                    setting_->options.timeout),
          nccl_(std::move(nccl)),
          look_(setting_->watchdog.add([this] { look(); })) {}
    ~NcclCommunicator() override { setting_->watchdog.remove(look_); }

private:
    // Polls messages, errors and deadlines; runs on the watchdog's thread.
    void look() {
        messages_.poll();
        std::optional<std::string> reason = nccl_ ? nccl_->asyncError() : std::nullopt;
        if (reason) {
            queue_.fail(*reason);
        } else {
            reason = queue_.poll();
        }
        // Only after the operations have failed: an abort lets their events pass.
        if (reason && nccl_) nccl_->abort();
    }

    Pending start(MessageCall call) override {
        if (call.sends) countSent(static_cast<std::int64_t>(call.tensor.nbytes()));
        if (!setting_->device.holds(call.tensor)) return control_->launch(std::move(call));
        const std::string label = group().nameOf(rank()) + ": " + describe(call);
        try {
            return messages_.start(std::move(call), label);
        } catch (const DeviceError& error) {
            throw CommError(label + " failed: " + error.what());
        }
    }

    // Submits one group of NCCL's sends and receives, in the queue of the collectives. Tensors in the host's memory go
    // message by message, at both ends.
    std::vector<Pending> startExchange(std::vector<MessageCall> messages) override {
        const auto onDevice = [&](const MessageCall& message) { return setting_->device.holds(message.tensor); };
        if (!nccl_ || !std::ranges::all_of(messages, onDevice)) {
            return Communicator::startExchange(std::move(messages));
        }
        const std::uint64_t number = ++exchanges_;
        StreamCall call;
        call.label = group().nameOf(rank()) + ": " + describe(messages, number);
        bool isEmpty = true;
        for (const MessageCall& message : messages) {
            static_cast<void>(ncclTypeOf(message.tensor));  // throws here rather than within NCCL's group
            if (message.sends) countSent(static_cast<std::int64_t>(message.tensor.nbytes()));
            isEmpty = isEmpty && message.tensor.numel() == 0;
            call.tensors.push_back(message.tensor);
        }
        call.enqueue = [nccl = nccl_, messages = std::move(messages)](StreamHandle stream) {
            nccl->give(
                [&](const NcclApi& api, NcclHandle handle) { return submitExchange(messages, api, handle, stream); });
        };
        std::vector<Pending> pending;
        pending.push_back(isEmpty ? Pending(endedAtOnce(std::move(call.label))) : queue_.launch(std::move(call)));
        return pending;
    }

    std::unique_ptr<Communicator> open(Group group) override {
        std::unique_ptr<Communicator> control = control_->split(placesOf(group, this->group()));
        group.key = control->group().key;
        const std::string whose = group.nameOf(group.rank) + ": its members did not connect: ";
        try {
            auto nccl = connectNccl(*setting_, group);
            if (!nccl) throw CommError(whose + nccl.error().message);
            return std::make_unique<NcclCommunicator>(setting_, std::move(group), std::move(*nccl), std::move(control));
        } catch (const DeviceError& error) {
            throw CommError(whose + error.what());
        }
    }

    Pending start(CollectiveCall call, std::uint64_t number) override {
        countSent(bytesOnWire(call, rank(), size()));
        if (!setting_->device.holds(call.out)) return Pending(control_->launch(std::move(call)).operation(), number);
        std::string label = group().nameOf(rank()) + ": " + describe(call, number);
        if (!nccl_ || call.out.numel() == 0) return Pending(doneAtOnce(call, std::move(label)), number);
        std::vector<at::Tensor> tensors{call.in, call.out};
        const int type = ncclTypeOf(call.out);
        return queue_.launch(
            {.label = std::move(label),
             .collective = number,
             .tensors = std::move(tensors),
             .enqueue = [nccl = nccl_,
                         asked = NcclCall{std::move(call), type, rank().value(), size()}](StreamHandle stream) {
                 nccl->give([&](const NcclApi& api, NcclHandle handle) { return asked.submit(api, handle, stream); });
             }});
    }

    // Completes a collective of one rank or of empty tensors, on the compute stream.
    std::shared_ptr<Completion> doneAtOnce(const CollectiveCall& call, std::string label) {
        const at::NoGradGuard guard;
        if (!call.out.is_same(call.in)) call.out.view(-1).copy_(call.in.view(-1));
        return endedAtOnce(std::move(label));
    }

    std::shared_ptr<Completion> endedAtOnce(std::string label) {
        const Ns now = setting_->clock.now();
        auto operation = std::make_shared<Completion>(
            Completion::Facts{.label = std::move(label), .launched = now, .timeout = setting_->options.timeout});
        operation->end({{now, now}, std::nullopt});
        return operation;
    }

    const std::shared_ptr<NcclSetting> setting_;
    const std::unique_ptr<Communicator> control_;
    std::atomic<std::uint64_t> exchanges_ = 0;
    StreamQueue queue_;
    DeviceMessages messages_;
    // Destroyed before the queue: that ends what is under way on the device.
    const std::shared_ptr<NcclGroup> nccl_;
    const int look_;
};

}  // namespace

Result<std::unique_ptr<Communicator>> makeNccl(const Rendezvous& rendezvous, const NcclOptions& options,
                                               const NcclDevice& device, std::unique_ptr<Communicator> control,
                                               const Clock& clock) {
    // NCCL reads this variable once in a process. "=" selects the interface of exactly this name, not all whose names
    // begin with it.
    static std::once_flag named;
    std::call_once(named, [&] { ::setenv("NCCL_SOCKET_IFNAME", ("=" + options.interface).c_str(), 1); });
    const std::string whose = std::string("rank ").append(std::to_string(options.rank.value())).append(": ");
    try {
        auto setting = std::make_shared<NcclSetting>(rendezvous, options, device, clock);
        Group group = Group::whole(options.rank, options.size);
        auto nccl = connectNccl(*setting, group);
        if (!nccl) return fail(whose + nccl.error().message);
        return std::make_unique<NcclCommunicator>(std::move(setting), std::move(group), std::move(*nccl),
                                                  std::move(control));
    } catch (const DeviceError& error) {
        return fail(whose + error.what());
    }
}

}  // namespace dasgd
