#include "core/cost/messages/exchange_schedule.h"

#include <algorithm>

#include "core/base/check.h"

namespace dasgd {

namespace {

// Ring all-gather of blocks of given, unequal sizes.
class UnevenGatherSchedule final : public MessageSchedule {
public:
    explicit UnevenGatherSchedule(const std::vector<std::int64_t>& bytesOf) : ranks_(static_cast<int>(bytesOf.size())) {
        std::int64_t begin = 0;
        for (const std::int64_t bytes : bytesOf) {
            blocks_.push_back({begin, bytes});
            begin += bytes;
        }
        rounds_ = begin > 0 ? ranks_ - 1 : 0;
    }

    [[nodiscard]] int rounds() const override { return rounds_; }
    void fill(int rank, int round, Round& out) const override {
        out.clear();
        out.addSend((rank + 1) % ranks_, block(rank - round), false);
        out.addReceive((rank + ranks_ - 1) % ranks_, block(rank - round - 1), false);
    }

private:
    [[nodiscard]] const PayloadRange& block(int number) const {
        return blocks_[static_cast<std::size_t>((number + ranks_) % ranks_)];
    }

    int ranks_, rounds_ = 0;
    std::vector<PayloadRange> blocks_;
};

class DirectExchangeSchedule final : public MessageSchedule {
public:
    DirectExchangeSchedule(std::int64_t bytesEach, int ranks) : bytesEach_(bytesEach), ranks_(ranks) {}

    [[nodiscard]] int rounds() const override { return bytesEach_ > 0 ? ranks_ - 1 : 0; }
    void fill(int rank, int round, Round& out) const override {
        out.clear();
        const int to = (rank + round + 1) % ranks_;
        const int from = (rank - round - 1 + ranks_) % ranks_;
        out.addSend(to, block(rank, to), false);
        out.addReceive(from, block(from, rank), false);
    }

private:
    [[nodiscard]] PayloadRange block(int from, int to) const {
        return {(std::int64_t{from} * ranks_ + to) * bytesEach_, bytesEach_};
    }

    std::int64_t bytesEach_;
    int ranks_;
};

}  // namespace

std::unique_ptr<MessageSchedule> allGatherSchedule(const std::vector<std::int64_t>& bytesOf) {
    DASGD_CHECK(!bytesOf.empty() && std::ranges::all_of(bytesOf, [](std::int64_t bytes) { return bytes >= 0; }));
    return std::make_unique<UnevenGatherSchedule>(bytesOf);
}

std::unique_ptr<MessageSchedule> allToAllSchedule(std::int64_t bytesEach, int ranks) {
    DASGD_CHECK(ranks >= 1 && bytesEach >= 0);
    return std::make_unique<DirectExchangeSchedule>(bytesEach, ranks);
}

}  // namespace dasgd
