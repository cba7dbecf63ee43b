// Sends and receives that wait for their other end. Between two ranks messages of one tag are matched in the order of
// both; a receive from any rank takes the message that came first.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

namespace dasgd {

// Not thread-safe. Memory and time in proportion to what waits for the same receiver and tag.
template <class Send, class Receive>
class Matching {
public:
    struct Sent {
        int from = 0;
        Send send;
    };

    // Returns the receive that waits for this message; nullopt where none does, and then the message waits here.
    std::optional<Receive> offer(int from, int to, int tag, Send send) {
        Box& box = boxes_[{to, tag}];
        const auto found =
            std::ranges::find_if(box.receives, [&](const Asked& asked) { return !asked.from || *asked.from == from; });
        if (found == box.receives.end()) {
            box.sends.push_back({from, std::move(send)});
            return std::nullopt;
        }
        std::optional<Receive> receive(std::move(found->receive));
        box.receives.erase(found);
        eraseIfEmpty(to, tag);
        return receive;
    }

    // Returns the message that this receive takes; nullopt where there is none, and then the receive waits here.
    // `from`: nullopt for any rank.
    std::optional<Sent> ask(std::optional<int> from, int to, int tag, Receive receive) {
        Box& box = boxes_[{to, tag}];
        const auto found =
            std::ranges::find_if(box.sends, [&](const Sent& sent) { return !from || sent.from == *from; });
        if (found == box.sends.end()) {
            box.receives.push_back({from, std::move(receive)});
            return std::nullopt;
        }
        std::optional<Sent> sent(std::move(*found));
        box.sends.erase(found);
        eraseIfEmpty(to, tag);
        return sent;
    }

    // Takes out the first receive that waits for a message of this kind.
    std::optional<Receive> takeReceive(int from, int to, int tag) {
        const auto box = boxes_.find({to, tag});
        if (box == boxes_.end()) return std::nullopt;
        auto& receives = box->second.receives;
        const auto found =
            std::ranges::find_if(receives, [&](const Asked& asked) { return !asked.from || *asked.from == from; });
        if (found == receives.end()) return std::nullopt;
        std::optional<Receive> receive(std::move(found->receive));
        receives.erase(found);
        eraseIfEmpty(to, tag);
        return receive;
    }

    // Takes out the receives for which `which(from, receive)` holds, and hands each to `taken`.
    template <class Which, class Taken>
    void takeReceives(Which which, Taken taken) {
        for (auto box = boxes_.begin(); box != boxes_.end();) {
            auto& receives = box->second.receives;
            for (auto each = receives.begin(); each != receives.end();) {
                if (which(each->from, each->receive)) {
                    taken(std::move(each->receive));
                    each = receives.erase(each);
                } else {
                    ++each;
                }
            }
            box = receives.empty() && box->second.sends.empty() ? boxes_.erase(box) : std::next(box);
        }
    }

    // Takes out every message that waits, and hands each to `taken`.
    template <class Taken>
    void takeSends(Taken taken) {
        for (auto& [key, box] : boxes_) {
            for (Sent& sent : box.sends) taken(std::move(sent.send));
            box.sends.clear();
        }
    }

private:
    struct Asked {
        std::optional<int> from;
        Receive receive;
    };
    struct Box {
        std::deque<Sent> sends;
        std::deque<Asked> receives;
    };
    void eraseIfEmpty(int to, int tag) {
        const auto box = boxes_.find({to, tag});
        if (box->second.sends.empty() && box->second.receives.empty()) boxes_.erase(box);
    }

    std::map<std::pair<int, int>, Box> boxes_;  // by receiver and tag
};

}  // namespace dasgd
