// Rule of a parameter server, without tensors: which gradients make an update, and which workers may start their next
// step. shard_server.h takes the gradients, makes the updates and sends the answers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/base/time_range.h"

namespace dasgd {

class Archive;

// A gradient that a server has taken.
struct Push {
    int worker = 0;
    std::int64_t clock = 0;    // c: number of this worker's gradients that were taken, with this one
    std::int64_t version = 0;  // version of the weights that it is of: the number of updates they had
    Ns at = 0;                 // instant at which it had arrived, on the server's clock
};

class ServerPolicy {
public:
    // One update of the weights, from the mean of these workers' gradients.
    struct Update {
        std::vector<int> workers;      // ascending; each has a gradient that is in no update yet
        double rate = 1;               // learning rate of the update ÷ that of the step
        bool forgetsMomentum = false;  // the optimiser's state is reset before
    };
    // Facts about the run that a policy is made for.
    struct Facts {
        int workers = 1;
        std::int64_t completed = 0;  // steps that every worker has made: 0, or those of the checkpoint
        std::uint64_t seed = 0;      // of the run
        Ns start = 0;                // instant at which training starts, on the server's clock
    };

    virtual ~ServerPolicy() = default;
    // Called for each gradient, in the order of arrival; equal instants by rank.
    virtual void take(const Push& push) = 0;
    // The next update that is due; called after each take() until there is none.
    [[nodiscard]] virtual std::optional<Update> nextUpdate() = 0;
    // Workers whose gradients will be in no update; called after each take(). Default: none.
    [[nodiscard]] virtual std::vector<int> takeDropped() { return {}; }
    // No further gradient will be taken: those that are in no update yet make a last one, or are dropped.
    virtual void noneFollows() {}
    // True where the run's steps are updates: it ends with as many as train.steps, however many gradients that takes.
    [[nodiscard]] virtual bool countsUpdates() const { return false; }
    // Whether a worker that waits may start its next step. Asked for all that wait, in ascending order, once after each
    // gradient and the updates that it makes.
    [[nodiscard]] virtual bool mayStart(int worker) = 0;
    // Metrics since the last call, under their names behind `algorithm/`.
    [[nodiscard]] virtual std::vector<std::pair<std::string_view, double>> takeMetrics() { return {}; }
    // State between two steps of all workers, where none waits and no gradient is held. Default: none.
    virtual void save(Archive&) const {}
    virtual Status load(const Archive&) { return {}; }
};

// Numbers of gradients of each worker, as most policies need them.
class WorkerClocks {
public:
    explicit WorkerClocks(const ServerPolicy::Facts& facts)
        : clocks_(static_cast<std::size_t>(facts.workers), facts.completed), least_(facts.completed) {}

    void note(const Push& push) {
        std::int64_t& clock = clocks_[static_cast<std::size_t>(push.worker)];
        const bool wasLeast = clock == least_;
        clock = push.clock;
        if (wasLeast) least_ = *std::ranges::min_element(clocks_);
    }
    [[nodiscard]] std::int64_t of(int worker) const { return clocks_[static_cast<std::size_t>(worker)]; }
    [[nodiscard]] std::int64_t least() const { return least_; }
    [[nodiscard]] std::int64_t most() const { return *std::ranges::max_element(clocks_); }
    // Steps that a worker has made more than the slowest one.
    [[nodiscard]] std::int64_t lead(int worker) const { return of(worker) - least(); }
    // The worker of lowest rank that has made the fewest.
    [[nodiscard]] int slowest() const { return static_cast<int>(std::ranges::min_element(clocks_) - clocks_.begin()); }
    [[nodiscard]] int workers() const { return static_cast<int>(clocks_.size()); }

private:
    std::vector<std::int64_t> clocks_;
    std::int64_t least_;
};

// A policy by which every gradient is an update of its own.
class UpdatePerPush : public ServerPolicy {
public:
    explicit UpdatePerPush(const Facts& facts) : clocks_(facts) {}
    void take(const Push& push) override {
        clocks_.note(push);
        taken_ = push.worker;
    }
    [[nodiscard]] std::optional<Update> nextUpdate() override {
        const auto worker = std::exchange(taken_, std::nullopt);
        if (!worker) return std::nullopt;
        return Update{.workers = {*worker}};
    }

protected:
    [[nodiscard]] const WorkerClocks& clocks() const { return clocks_; }

private:
    WorkerClocks clocks_;
    std::optional<int> taken_;
};

}  // namespace dasgd
