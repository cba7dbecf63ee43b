// Probabilistic synchronous parallel (Wang et al., arXiv 1709.07772): a worker starts its next step once it is at most
// s steps ahead of β workers that are drawn from all P, without replacement. pBSP is s = 0, pSSP s > 0; with β = 0 it
// is asynchronous SGD, with β = P stale synchronous parallel with the same s.
//
// Read: the authors' chapter "Step Progress" (owlbarn book), where gradients are added up as they come, for s = 0 too.
// Our reading, which the text leaves open: a worker that waits draws a new sample at each gradient that the server
// takes. With a sample that it keeps (redraw = false), β = 4 of 200 workers is far from SSP, to which their figure has
// it very close. The sample may hold the worker itself, as a draw from all P does.
//
// The draws are SplitMix64's: its state is the seed of the run, then for x in (worker + 1, c, number of the draw) the
// output of the state XOR x; the sample is the first β places of a Fisher-Yates shuffle. So they do not depend on the
// order in which workers come.
#include <algorithm>
#include <numeric>
#include <utility>

#include "core/algorithms/server/parameter_server.h"
#include "core/base/random.h"

namespace dasgd {
namespace {

struct PspParams {
    std::int64_t servers = 1;
    std::int64_t sample = 10;
    std::int64_t staleness = 0;
    bool redraw = true;
    void visit(auto&& f) {
        f(servers, "servers", oneServerField());
        f(sample, "sample",
          {.min = 0,
           .max = 1e6,
           .unit = "workers",
           .symbol = "β",
           .help = "Number of workers that one that would start is compared with; 0: asynchronous; all: as ssp"});
        f(staleness, "staleness",
          {.min = 0,
           .max = 1e15,
           .unit = "steps",
           .symbol = "s",
           .help = "By so many steps a worker that starts one may be ahead of those of its sample"});
        f(redraw, "redraw",
          {.help = "A worker that waits draws a new sample at each gradient that the server takes; false: it keeps its "
                   "sample"});
    }
};

// First places of shuffles of 0 … P − 1.
class Samples {
public:
    explicit Samples(int workers) : order_(static_cast<std::size_t>(workers)) {
        std::iota(order_.begin(), order_.end(), 0);
    }

    // True where `suits` holds for the first `count` places of the shuffle of this key.
    template <class Suits>
    [[nodiscard]] bool all(std::uint64_t key, std::size_t count, Suits&& suits) {
        drawn_.clear();
        bool hold = true;
        for (std::size_t j = 0; j < count && hold; ++j) {
            const std::size_t other = j + next(key) % (order_.size() - j);
            std::swap(order_[j], order_[other]);
            drawn_.push_back(other);
            hold = suits(order_[j]);
        }
        // Undone, so that the next shuffle begins with the same order.
        while (!drawn_.empty()) {
            std::swap(order_[drawn_.size() - 1], order_[drawn_.back()]);
            drawn_.pop_back();
        }
        return hold;
    }

private:
    static std::uint64_t next(std::uint64_t& state) {
        const std::uint64_t output = mixBits(state);
        state += 0x9e3779b97f4a7c15ULL;
        return output;
    }

    std::vector<int> order_;
    std::vector<std::size_t> drawn_;
};

class SampledLead final : public UpdatePerPush {
public:
    SampledLead(const Facts& facts, const PspParams& params)
        : UpdatePerPush(facts),
          params_(params),
          seed_(facts.seed),
          samples_(facts.workers),
          draws_(static_cast<std::size_t>(facts.workers), 0) {}

    void take(const Push& push) override {
        UpdatePerPush::take(push);
        draws_[static_cast<std::size_t>(push.worker)] = 0;
    }
    [[nodiscard]] bool mayStart(int worker) override {
        std::uint64_t& draw = draws_[static_cast<std::size_t>(worker)];
        std::uint64_t key = seed_;
        for (const std::uint64_t x :
             {static_cast<std::uint64_t>(worker) + 1, static_cast<std::uint64_t>(clocks().of(worker)), draw}) {
            key = mixBits(key ^ x);
        }
        if (params_.redraw) ++draw;
        const std::int64_t least = clocks().of(worker) - params_.staleness;
        return samples_.all(key, static_cast<std::size_t>(params_.sample),
                            [&](int other) { return clocks().of(other) >= least; });
    }

private:
    PspParams params_;
    std::uint64_t seed_;
    Samples samples_;
    std::vector<std::uint64_t> draws_;  // number of each worker's next draw
};

class Psp final : public ParameterServer {
public:
    explicit Psp(const PspParams& params) : ParameterServer(params.servers), params_(params) {}
    [[nodiscard]] std::unique_ptr<ServerPolicy> makePolicy(const ServerPolicy::Facts& facts) const override {
        return std::make_unique<SampledLead>(facts, params_);
    }
    [[nodiscard]] bool hasUnboundedSkew(const RunLength& run) const override {
        return params_.sample < workersOf(run.ranks) || params_.staleness >= run.steps - 1;
    }
    [[nodiscard]] std::optional<FieldError> check(const RunOutline& facts) const override {
        const int workers = workersOf(facts.workers);
        if (params_.sample <= workers) return ParameterServer::check(facts);
        return FieldError{"sample", "sample is " + std::to_string(params_.sample) + ", but only " +
                                        std::to_string(workers) + " of the ranks train; allowed: 0 to " +
                                        std::to_string(workers)};
    }

private:
    [[nodiscard]] std::string awaitedAfter(std::int64_t) const override {
        return params_.sample == 0 ? "" : "enough gradients of the workers that this one's sample has";
    }

    PspParams params_;
};

const AlgorithmRegistry::Add<Psp, PspParams> kPspEntry{
    "psp", "Parameter server whose workers keep step with a sample of the others", "arXiv 1709.07772",
    noFormula("when its workers push and pull depends on draws, and which of them share the server's link on how far "
              "apart they are")};

}  // namespace
}  // namespace dasgd
