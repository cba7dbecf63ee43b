#include "core/comm/gloo/gloo_messages.h"

#include <torch/types.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/comm/completion.h"
#include "core/comm/gloo/gloo_waits.h"
#include "core/comm/matching.h"

namespace dasgd {

using std::chrono::milliseconds;

namespace {

// Tags that c10d sees: each carries every peer's stream of its kind.
constexpr int kHeaderTag = 0;
constexpr int kPayloadTag = 1;
constexpr std::size_t kInlineBytes = 48;
// Gloo asks for a message on the connection on which it sends, behind what is being sent: of two ranks that exchange
// large messages the second begins when the first has ended. So large ones travel in slices, few of them at a time.
constexpr std::int64_t kSliceBytes = 1 << 20;
constexpr std::size_t kSlicesAtATime = 2;

struct Header {
    std::int64_t tag = 0;
    std::int64_t bytes = 0;
    Ns launched = 0;                          // on the run's time line
    std::array<char, kInlineBytes> within{};  // the payload, where it fits
};

at::Tensor headerTensor() { return torch::zeros({static_cast<std::int64_t>(sizeof(Header))}, torch::kUInt8); }

// A message that no receive has asked for yet.
struct Stored {
    at::Tensor bytes;
    Ns launched = 0;  // by its sender
};
// A receive that no message has answered yet.
struct Wanted {
    at::Tensor tensor;
    std::shared_ptr<Completion> ended;
};

// Slices of a payload, which all but the last have kSliceBytes.
std::deque<at::Tensor> slicesOf(const at::Tensor& bytes) {
    std::deque<at::Tensor> slices;
    for (std::int64_t begin = 0; begin < bytes.numel(); begin += kSliceBytes) {
        slices.push_back(bytes.narrow(0, begin, std::min(kSliceBytes, bytes.numel() - begin)));
    }
    return slices;
}

}  // namespace

class GlooMessages::Impl : public std::enable_shared_from_this<Impl> {
public:
    Impl(c10::intrusive_ptr<c10d::ProcessGroupGloo> backend, std::shared_ptr<std::mutex> launching, const Group& group,
         milliseconds timeout, const Clock& clock)
        : backend_(std::move(backend)),
          launching_(std::move(launching)),
          group_(group),
          timeout_(timeout),
          clock_(clock),
          peers_(static_cast<std::size_t>(group.size())) {}

    void close() {
        {
            const std::lock_guard lock(mutex_);
            closing_ = true;
            for (Peer& peer : peers_) {
                for (const auto& work : peer.receiving) work->abort();
                for (const Sent& sent : peer.sending) {
                    for (const auto& work : sent.works) work->abort();
                }
            }
        }
        condition_.notify_all();
        for (Peer& peer : peers_) {
            if (peer.sender.joinable()) peer.sender.join();
            if (peer.receiver.joinable()) peer.receiver.join();
        }
    }

    Pending send(const MessageCall& call) {
        const auto ended = completion(call, {});
        const int to = call.peer->value();
        if (to == group_.rank.value()) {
            deliver(to, call.tag, {bytesOf(call.tensor).clone(), ended->launched()});
            ended->end({{ended->launched(), clock_.now()}, std::nullopt});
            return Pending(ended);
        }
        std::string why;
        {
            const std::lock_guard lock(mutex_);
            Peer& peer = peers_[static_cast<std::size_t>(to)];
            try {
                Sent sent = sentOf(call, to, ended);
                if (peer.sending.empty()) postSlices(sent, to);
                peer.sending.push_back(std::move(sent));
                if (!peer.sender.joinable()) peer.sender = std::thread([this, to] { awaitSends(to); });
            } catch (const std::exception& error) {
                why = firstLine(error);
            }
        }
        if (!why.empty()) ended->fail(why);
        condition_.notify_all();
        return Pending(ended);
    }

    Pending receive(const MessageCall& call) {
        // Set once the operation exists. The callback below belongs to that operation, so the pointer is valid whenever
        // it is called.
        const auto self = std::make_shared<const Completion*>();
        const auto ended = completion(call, [weak = weak_from_this(), self] {
            const auto messages = weak.lock();
            return messages && messages->withdraw(*self);
        });
        *self = ended.get();
        const auto asked = call.peer ? std::optional(call.peer->value()) : std::nullopt;
        std::optional<Matching<Stored, Wanted>::Sent> stored;
        std::string gone;
        {
            const std::lock_guard lock(mutex_);
            stored = matching_.ask(asked, 0, call.tag, {call.tensor, ended});
            if (!stored) {
                for (int peer = 0; peer < group_.size(); ++peer) listenTo(peer, asked);
                gone = whyNobodyAnswers(asked);
            }
        }
        if (stored) {
            finish({call.tensor, ended}, stored->from, stored->send);
        } else if (!gone.empty() && withdraw(ended.get())) {
            ended->fail(gone);
        }
        return Pending(ended);
    }

private:
    struct Sent {
        std::deque<at::Tensor> waiting;  // slices that Gloo does not have yet
        GlooWorks works;                 // header and slices that Gloo has
        std::shared_ptr<Completion> ended;
    };
    struct Peer {
        std::thread sender, receiver;
        std::deque<Sent> sending;
        GlooWorks receiving;  // operations that the receiver thread serves
        std::string gone;     // reason for which the peer sends no more; "" while it may send
    };

    std::shared_ptr<Completion> completion(const MessageCall& call, std::function<bool()> withdraw) {
        return std::make_shared<Completion>(
            Completion::Facts{.label = group_.nameOf(group_.rank) + ": " + describe(call),
                              .launched = clock_.now(),
                              .timeout = timeout_,
                              .withdraw = std::move(withdraw)});
    }

    // Bytes of a tensor, in its own memory, which they keep.
    static at::Tensor bytesOf(const at::Tensor& tensor) { return tensor.detach().view(-1).view(torch::kUInt8); }

    // Hands a message's header to Gloo. Headers of a peer, and payloads, leave in the order of the messages.
    Sent sentOf(const MessageCall& call, int to, const std::shared_ptr<Completion>& ended) {
        Header header{
            .tag = call.tag, .bytes = static_cast<std::int64_t>(call.tensor.nbytes()), .launched = ended->launched()};
        const bool fits = call.tensor.nbytes() <= kInlineBytes;
        if (fits && header.bytes > 0) std::memcpy(header.within.data(), call.tensor.data_ptr(), call.tensor.nbytes());
        std::vector<at::Tensor> front{headerTensor()};
        std::memcpy(front[0].data_ptr(), &header, sizeof header);
        Sent sent{.waiting = {}, .works = {}, .ended = ended};
        if (!fits) sent.waiting = slicesOf(bytesOf(call.tensor));
        const std::lock_guard lock(*launching_);
        sent.works.push_back(backend_->send(front, to, kHeaderTag));
        return sent;
    }

    // Keeps kSlicesAtATime of the payload with Gloo. Throws what Gloo throws.
    void postSlices(Sent& sent, int to) {
        const std::lock_guard lock(*launching_);
        while (!sent.waiting.empty() && sent.works.size() < kSlicesAtATime) {
            std::vector<at::Tensor> slice{sent.waiting.front()};
            sent.works.push_back(backend_->send(slice, to, kPayloadTag));
            sent.waiting.pop_front();
        }
    }

    void awaitSends(int to) {
        std::unique_lock lock(mutex_);
        Peer& peer = peers_[static_cast<std::size_t>(to)];
        while (true) {
            condition_.wait(lock, [&] { return closing_ || !peer.sending.empty(); });
            if (peer.sending.empty()) return;
            const std::string why = sendRest(peer.sending.front(), to, lock);
            const Sent sent = std::move(peer.sending.front());
            peer.sending.pop_front();
            if (!why.empty()) unfinished_.insert(unfinished_.end(), sent.works.begin(), sent.works.end());
            lock.unlock();
            if (why.empty()) {
                sent.ended->end({{sent.ended->launched(), clock_.now()}, std::nullopt});
            } else {
                sent.ended->fail(why);
            }
            lock.lock();
        }
    }

    // Sends what is left of a message; returns "" or why that failed. Call with the mutex held: it is released while a
    // slice is waited for.
    std::string sendRest(Sent& sent, int to, std::unique_lock<std::mutex>& lock) {
        while (true) {
            try {
                if (!closing_) postSlices(sent, to);
            } catch (const std::exception& error) {
                return firstLine(error);
            }
            if (sent.works.empty()) return sent.waiting.empty() ? "" : std::string(kClosed);
            const GlooWorks oldest{sent.works.front()};
            lock.unlock();
            const std::string why = awaitAll(oldest);
            lock.lock();
            if (!why.empty()) return why;
            sent.works.pop_front();
        }
    }

    // Starts receiving from peer `from` where a receive from `asked` (nullopt: any rank) concerns it. Call with the
    // mutex held.
    void listenTo(int from, std::optional<int> asked) {
        Peer& peer = peers_[static_cast<std::size_t>(from)];
        const bool concerned = from != group_.rank.value() && (!asked || *asked == from);
        if (!concerned || closing_ || peer.receiver.joinable()) return;
        peer.receiver = std::thread([this, from] { receiveAll(from); });
    }

    // Reads these from the peer; where that fails, returns false and marks the peer as gone.
    bool read(int from, const std::deque<at::Tensor>& slices, int tag) {
        Peer& peer = peers_[static_cast<std::size_t>(from)];
        GlooWorks works;
        std::string why;
        try {
            const std::lock_guard lock(mutex_);
            if (closing_) return false;
            const std::lock_guard launching(*launching_);
            for (const at::Tensor& slice : slices) {
                std::vector<at::Tensor> tensors{slice};
                works.push_back(backend_->recv(tensors, from, tag));
            }
            peer.receiving = works;
        } catch (const std::exception& error) {
            why = firstLine(error);
        }
        if (why.empty()) why = awaitAll(works);
        const std::lock_guard lock(mutex_);
        peer.receiving.clear();
        if (why.empty()) return true;
        peer.gone = "rank " + std::to_string(from) + group_.name + " is gone: " + why;
        unfinished_.insert(unfinished_.end(), works.begin(), works.end());
        return false;
    }

    void receiveAll(int from) {
        at::Tensor front = headerTensor();
        while (read(from, {front}, kHeaderTag)) {
            Header header;
            std::memcpy(&header, front.data_ptr(), sizeof header);
            if (!receiveOne(from, header)) break;
        }
        failWaiting();
    }

    bool receiveOne(int from, const Header& header) {
        const int tag = static_cast<int>(header.tag);
        if (static_cast<std::size_t>(header.bytes) <= kInlineBytes) {
            at::Tensor bytes = torch::empty({header.bytes}, torch::kUInt8);
            if (header.bytes > 0) std::memcpy(bytes.data_ptr(), header.within.data(), bytes.nbytes());
            deliver(from, tag, {bytes, header.launched});
            return true;
        }
        std::optional<Wanted> wanted;
        {
            const std::lock_guard lock(mutex_);
            wanted = matching_.takeReceive(from, 0, tag);
        }
        // Receives directly into the asked tensor, unless that has another size.
        const bool fits = wanted && static_cast<std::int64_t>(wanted->tensor.nbytes()) == header.bytes;
        const at::Tensor place = fits ? wanted->tensor : torch::empty({header.bytes}, torch::kUInt8);
        const bool whole = read(from, slicesOf(bytesOf(place)), kPayloadTag);
        if (!wanted) {
            if (whole) deliver(from, tag, {place, header.launched});
        } else if (whole) {
            finish(*wanted, from, {place, header.launched});
        } else {
            const std::string why = [&] {
                const std::lock_guard lock(mutex_);
                return peers_[static_cast<std::size_t>(from)].gone;
            }();
            wanted->ended->fail(why.empty() ? kClosed : why);
        }
        return whole;
    }

    // Gives a message that has arrived whole to the receive that asked for it, or stores it.
    void deliver(int from, int tag, const Stored& message) {
        std::optional<Wanted> wanted;
        {
            const std::lock_guard lock(mutex_);
            wanted = matching_.offer(from, 0, tag, message);
        }
        if (wanted) finish(*wanted, from, message);
    }

    // The message's time begins when both of its ends were launched: waiting for a late sender is no transfer.
    void finish(const Wanted& wanted, int from, const Stored& message) {
        const at::Tensor& bytes = message.bytes;
        if (bytes.nbytes() != wanted.tensor.nbytes()) {
            return wanted.ended->fail("rank " + std::to_string(from) + group_.name + " sent " +
                                      std::to_string(bytes.nbytes()) + " bytes");
        }
        const bool moves = bytes.nbytes() > 0 && bytes.data_ptr() != wanted.tensor.data_ptr();
        if (moves) std::memcpy(wanted.tensor.data_ptr(), bytes.data_ptr(), bytes.nbytes());
        const Ns end = clock_.now();
        const Ns start = std::min(std::max(wanted.ended->launched(), message.launched), end);
        wanted.ended->end({{start, end}, Rank(from)});
    }

    bool withdraw(const Completion* operation) {
        const std::lock_guard lock(mutex_);
        bool taken = false;
        matching_.takeReceives([&](const auto&, const Wanted& wanted) { return wanted.ended.get() == operation; },
                               [&](const Wanted&) { taken = true; });
        return taken;
    }

    // Reason why no peer that was asked will ever answer; "" where one may. Call with the mutex held.
    [[nodiscard]] std::string whyNobodyAnswers(std::optional<int> asked) const {
        if (closing_) return kClosed;
        if (asked) return peers_[static_cast<std::size_t>(*asked)].gone;
        std::string last;
        for (int peer = 0; peer < group_.size(); ++peer) {
            if (peer == group_.rank.value()) continue;
            last = peers_[static_cast<std::size_t>(peer)].gone;
            if (last.empty()) return {};
        }
        return last.empty() ? "" : "every other rank is gone; " + last;
    }

    // Fails the receives that only a peer that is gone could answer.
    void failWaiting() {
        std::vector<std::pair<std::shared_ptr<Completion>, std::string>> failed;
        {
            const std::lock_guard lock(mutex_);
            std::string why;
            matching_.takeReceives(
                [&](std::optional<int> asked, const Wanted&) {
                    why = whyNobodyAnswers(asked);
                    return !why.empty();
                },
                [&](const Wanted& wanted) { failed.emplace_back(wanted.ended, why); });
        }
        for (const auto& [ended, why] : failed) ended->fail(why);
    }

    // Receives that were given up: Gloo may still write to their tensors, so they are kept until the connections are
    // closed.
    GlooWorks unfinished_;
    c10::intrusive_ptr<c10d::ProcessGroupGloo> backend_;
    const std::shared_ptr<std::mutex> launching_;
    const Group group_;
    const milliseconds timeout_;
    const Clock& clock_;
    std::mutex mutex_;
    std::condition_variable condition_;
    std::vector<Peer> peers_;
    Matching<Stored, Wanted> matching_;  // of this rank, so the receiver is always 0
    bool closing_ = false;
};

GlooMessages::GlooMessages(c10::intrusive_ptr<c10d::ProcessGroupGloo> backend, std::shared_ptr<std::mutex> launching,
                           const Group& group, milliseconds timeout, const Clock& clock)
    : impl_(std::make_shared<Impl>(std::move(backend), std::move(launching), group, timeout, clock)) {}
GlooMessages::~GlooMessages() { impl_->close(); }

Pending GlooMessages::start(const MessageCall& call) { return call.sends ? impl_->send(call) : impl_->receive(call); }

}  // namespace dasgd
