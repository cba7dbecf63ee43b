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
#include "core/comm/matching.h"

namespace dasgd {

using std::chrono::milliseconds;

namespace {

// Tags that c10d sees: each carries every peer's stream of its kind.
constexpr int kHeaderTag = 0;
constexpr int kPayloadTag = 1;
constexpr std::size_t kInlineBytes = 48;
// Deadline of waits that should have none, which c10d does not offer.
constexpr milliseconds kForever = std::chrono::hours(24 * 3650);

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

using Works = std::vector<c10::intrusive_ptr<c10d::Work>>;

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
                peer.sending.push_back({post(call, to, ended->launched()), ended});
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
        Works works;
        std::shared_ptr<Completion> ended;
    };
    struct Peer {
        std::thread sender, receiver;
        std::deque<Sent> sending;
        Works receiving;   // operations that the receiver thread serves
        std::string gone;  // reason for which the peer sends no more; "" while it may send
    };

    std::shared_ptr<Completion> completion(const MessageCall& call, std::function<bool()> withdraw) {
        return std::make_shared<Completion>(
            Completion::Facts{.label = group_.nameOf(group_.rank) + ": " + describe(call),
                              .launched = clock_.now(),
                              .timeout = timeout_,
                              .withdraw = std::move(withdraw)});
    }

    static at::Tensor bytesOf(const at::Tensor& tensor) {
        return at::from_blob(tensor.data_ptr(), {static_cast<std::int64_t>(tensor.nbytes())}, torch::kUInt8);
    }

    // Hands a message to Gloo. Parts of another message must not come between its parts.
    Works post(const MessageCall& call, int to, Ns launched) {
        Header header{.tag = call.tag, .bytes = static_cast<std::int64_t>(call.tensor.nbytes()), .launched = launched};
        const bool fits = call.tensor.nbytes() <= kInlineBytes;
        if (fits && header.bytes > 0) std::memcpy(header.within.data(), call.tensor.data_ptr(), call.tensor.nbytes());
        std::vector<at::Tensor> front{headerTensor()}, rest{call.tensor};
        std::memcpy(front[0].data_ptr(), &header, sizeof header);
        const std::lock_guard lock(*launching_);
        Works works{backend_->send(front, to, kHeaderTag)};
        if (!fits) works.push_back(backend_->send(rest, to, kPayloadTag));
        return works;
    }

    void awaitSends(int to) {
        std::unique_lock lock(mutex_);
        Peer& peer = peers_[static_cast<std::size_t>(to)];
        while (true) {
            condition_.wait(lock, [&] { return closing_ || !peer.sending.empty(); });
            if (peer.sending.empty()) return;
            const Sent sent = peer.sending.front();
            lock.unlock();
            const std::string why = awaitAll(sent.works);
            if (why.empty()) {
                sent.ended->end({{sent.ended->launched(), clock_.now()}, std::nullopt});
            } else {
                sent.ended->fail(why);
            }
            lock.lock();
            if (!why.empty()) unfinished_.insert(unfinished_.end(), sent.works.begin(), sent.works.end());
            peer.sending.pop_front();
        }
    }

    // Waits for all of them; returns "" where all ended without an error, else the reason.
    static std::string awaitAll(const Works& works) {
        try {
            for (const auto& work : works) {
                if (!work->wait(kForever)) return "the communicator was closed";
            }
            return {};
        } catch (const std::exception& error) {
            return firstLine(error);
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

    // Reads `tensor` from the peer; where that fails, returns false and marks the peer as gone.
    bool read(int from, at::Tensor tensor, int tag) {
        Peer& peer = peers_[static_cast<std::size_t>(from)];
        Works works;
        std::string why;
        try {
            std::vector<at::Tensor> tensors{std::move(tensor)};
            const std::lock_guard lock(mutex_);
            if (closing_) return false;
            const std::lock_guard launching(*launching_);
            works.push_back(backend_->recv(tensors, from, tag));
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
        while (read(from, front, kHeaderTag)) {
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
        const bool whole = read(from, place, kPayloadTag);
        if (!wanted) {
            if (whole) deliver(from, tag, {place, header.launched});
        } else if (whole) {
            finish(*wanted, from, {place, header.launched});
        } else {
            const std::string why = [&] {
                const std::lock_guard lock(mutex_);
                return peers_[static_cast<std::size_t>(from)].gone;
            }();
            wanted->ended->fail(why.empty() ? "the communicator was closed" : why);
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
        if (closing_) return "the communicator was closed";
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
    Works unfinished_;
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
