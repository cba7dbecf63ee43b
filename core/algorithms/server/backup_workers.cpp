// Synchronous SGD with backup workers (Chen et al., "Revisiting Distributed Synchronous SGD", arXiv 1604.00981): of P
// workers the server takes the first N = P − b gradients that are of its present weights, makes one update of their
// mean, and these N workers start anew. A gradient of older weights is dropped, and its worker starts from the newest.
// With b = 0 it is bulk-synchronous.
//
// Read: the abstract, and TensorFlow's sync_replicas_optimizer. Different from it: its queue of tokens keeps those that
// a late worker did not draw, so that a worker may draw the number of an old step and be dropped though its weights are
// new.
//
// train.steps is a number of updates; how many gradients that takes, and how many are dropped, the run shows
// (algorithm/gradients, algorithm/dropped). After the last update the server waits for those under way.
#include <algorithm>
#include <string>
#include <utility>

#include "core/algorithms/server/parameter_server.h"

namespace dasgd {
namespace {

struct BackupWorkersParams {
    std::int64_t servers = 1;
    std::int64_t backup = 1;
    void visit(auto&& f) {
        f(servers, "servers", oneServerField());
        f(backup, "backup",
          {.min = 0,
           .max = 1e6,
           .unit = "ranks",
           .symbol = "b",
           .help = "Number of workers whose gradients an update does not wait for; 0: bulk-synchronous"});
    }
};

class FirstOfAVersion final : public ServerPolicy {
public:
    FirstOfAVersion(const Facts& facts, std::int64_t backup) : needed_(facts.workers - backup) {}
    void take(const Push& push) override { (push.version == version_ ? held_ : dropped_).push_back(push.worker); }
    [[nodiscard]] std::vector<int> takeDropped() override { return std::exchange(dropped_, {}); }
    [[nodiscard]] std::optional<Update> nextUpdate() override {
        if (std::ssize(held_) < needed_) return std::nullopt;
        ++version_;
        std::ranges::sort(held_);
        return Update{.workers = std::exchange(held_, {})};
    }
    [[nodiscard]] bool mayStart(int worker) override { return std::ranges::find(held_, worker) == held_.end(); }
    [[nodiscard]] bool countsUpdates() const override { return true; }
    void noneFollows() override {
        dropped_.insert(dropped_.end(), held_.begin(), held_.end());
        held_.clear();
    }

private:
    std::int64_t needed_;
    std::int64_t version_ = 0;
    std::vector<int> held_;     // workers whose gradients of this version wait
    std::vector<int> dropped_;  // workers whose gradients came too late
};

class BackupWorkers final : public ParameterServer {
public:
    explicit BackupWorkers(const BackupWorkersParams& params) : ParameterServer(params.servers), params_(params) {}
    [[nodiscard]] std::unique_ptr<ServerPolicy> makePolicy(const ServerPolicy::Facts& facts) const override {
        return std::make_unique<FirstOfAVersion>(facts, params_.backup);
    }
    [[nodiscard]] bool alwaysShares() const override { return true; }
    [[nodiscard]] std::optional<FieldError> check(const RunOutline& facts) const override {
        const int workers = workersOf(facts.workers);
        if (params_.backup < workers) return ParameterServer::check(facts);
        return FieldError{"backup", "backup is " + std::to_string(params_.backup) + " of " + std::to_string(workers) +
                                        " workers, which leaves none to wait for; allowed: 0 to " +
                                        std::to_string(workers - 1)};
    }

private:
    [[nodiscard]] std::string awaitedAfter(std::int64_t) const override {
        return "as many gradients of its present weights as it needs";
    }

    BackupWorkersParams params_;
};

const AlgorithmRegistry::Add<BackupWorkers, BackupWorkersParams> kBackupWorkersEntry{
    "backup_workers", "Synchronous SGD that does not wait for the last gradients of a step", "arXiv 1604.00981",
    noFormula("which gradients come last depends on how the workers' steps scatter")};

}  // namespace
}  // namespace dasgd
