// K-async SGD (Dutta et al., "Slow and Stale Gradients Can Win the Race", AISTATS 2018, arXiv 1803.01113): the first K
// gradients that come make one update of their mean, stale ones included, and these K workers start anew from it.
// With K = 1 that is asynchronous SGD, with K = P bulk-synchronous. With `growth`, K rises by one after so many
// updates, up to P: the Smooth Switch of arXiv 2407.00101 with steps of equal length.
//
// From memory, checked against neither paper's code: that stale gradients count, and that a worker whose gradient is
// held waits for its update. The paper's threshold function of Smooth Switch is not fixed; a line is our reading.
//
// The workers share the gradients of the run: a rule that waits for K of them cannot end with equal steps of all. What
// is held at the end makes a last update of fewer.
#include <algorithm>
#include <string>
#include <utility>

#include "core/algorithms/server/parameter_server.h"

namespace dasgd {
namespace {

struct KAsyncParams {
    std::int64_t servers = 1;
    std::int64_t gradients = 2;
    std::int64_t growth = 0;
    void visit(auto&& f) {
        f(servers, "servers", oneServerField());
        f(gradients, "gradients",
          {.min = 1,
           .max = 1e6,
           .symbol = "K",
           .help = "Number of gradients that make an update, stale ones included"});
        f(growth, "growth",
          {.min = 0,
           .max = 1e15,
           .unit = "updates",
           .help = "After so many updates one gradient more makes an update, up to one of every worker; 0: it stays"});
    }
};

class FirstGradients final : public ServerPolicy {
public:
    FirstGradients(const Facts& facts, const KAsyncParams& params) : params_(params), workers_(facts.workers) {}
    void take(const Push& push) override { held_.push_back(push.worker); }
    [[nodiscard]] std::optional<Update> nextUpdate() override {
        if (held_.empty() || (!noneFollows_ && std::ssize(held_) < needed())) return std::nullopt;
        std::ranges::sort(held_);
        ++updates_;
        return Update{.workers = std::exchange(held_, {})};
    }
    [[nodiscard]] bool mayStart(int worker) override { return std::ranges::find(held_, worker) == held_.end(); }
    void noneFollows() override { noneFollows_ = true; }

private:
    [[nodiscard]] std::int64_t needed() const {
        const std::int64_t grown = params_.growth == 0 ? 0 : updates_ / params_.growth;
        return std::min(workers_, params_.gradients + grown);
    }

    KAsyncParams params_;
    std::int64_t workers_;
    std::vector<int> held_;  // workers whose gradients wait
    std::int64_t updates_ = 0;
    bool noneFollows_ = false;
};

class KAsync final : public ParameterServer {
public:
    explicit KAsync(const KAsyncParams& params) : ParameterServer(params.servers), params_(params) {}
    [[nodiscard]] std::unique_ptr<ServerPolicy> makePolicy(const ServerPolicy::Facts& facts) const override {
        return std::make_unique<FirstGradients>(facts, params_);
    }
    [[nodiscard]] bool alwaysShares() const override { return true; }
    [[nodiscard]] std::optional<FieldError> check(const RunOutline& facts) const override {
        const int workers = workersOf(facts.workers);
        if (params_.gradients <= workers) return ParameterServer::check(facts);
        return FieldError{"gradients", "gradients is " + std::to_string(params_.gradients) + ", but only " +
                                           std::to_string(workers) + " of the ranks train; allowed: 1 to " +
                                           std::to_string(workers)};
    }

private:
    [[nodiscard]] std::string awaitedAfter(std::int64_t) const override { return "as many gradients as it needs"; }

    KAsyncParams params_;
};

const AlgorithmRegistry::Add<KAsync, KAsyncParams> kKAsyncEntry{
    "k_async", "Parameter server that makes the first K gradients an update", "arXiv 1803.01113",
    noFormula("which gradients come first depends on how far apart its workers are")};

}  // namespace
}  // namespace dasgd
