// Some steps of a run, of all its ranks at once: for tests of what happens between one evaluation and the next.
#pragma once

#include <barrier>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "core/base/control.h"

namespace dasgd::test {

// `begin` is called when all ranks have made `from` steps, `end` when they have made `until`, each by one rank while
// the others wait for it; 0 < from < until < the steps of the run. A rank that fails is not waited for. Neither may
// throw.
class StepsBetween final : public StepGate {
public:
    StepsBetween(int ranks, std::int64_t from, std::int64_t until, std::function<void()> begin,
                 std::function<void()> end)
        : from_(from), until_(until), ranks_(ranks, Turn{{std::move(begin), std::move(end)}}) {}

    [[nodiscard]] bool mayContinue(Rank, std::int64_t completed) override {
        if (completed == from_ || completed == until_) ranks_.arrive_and_wait();
        return true;
    }
    [[nodiscard]] bool stopAsked(Rank, std::int64_t) override { return false; }
    void leave(Rank) override { ranks_.arrive_and_drop(); }

private:
    // The function to call the next time that all ranks meet; none where they meet at the end of the run.
    struct Turn {
        std::vector<std::function<void()>> next;
        std::size_t at = 0;
        void operator()() noexcept {
            if (at < next.size()) next[at++]();
        }
    };

    const std::int64_t from_, until_;
    std::barrier<Turn> ranks_;
};

}  // namespace dasgd::test
