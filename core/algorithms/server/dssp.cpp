// Dynamic stale synchronous parallel (Zhao et al., ICDCS 2019, arXiv 1908.11848, algorithms 1 and 2): a worker with a
// lead of at most s_L over the slowest starts at once. The server grants the fastest worker r more steps, by the
// intervals between pushes: at most r_max of them, so many that it then meets the next pushes of the slowest worker
// with the least waiting. A worker with a grant starts at once too, and each start takes one off.
//
// As written (bounded = false), a grant of r lets r + 1 steps start, and the next one may follow it: at steady speeds
// no bound holds, and the algorithm is asynchronous SGD. That is what the paper's table I shows (1,000 s for 5,565 of
// SSP with s = 15 and 2,993 of asynchronous SGD to an accuracy of 0.67: DSSP 3,016), not its theorem 2. With
// bounded = true, a grant is r steps and at most s_L + r_max + 1 − lead, so that the theorem holds: no step starts with
// a lead above s_L + r_max.
//
// Our reading: the first interval of a worker counts from the start of training; no grant is made before the slowest
// worker has pushed; of grants that wait equally the smallest is made.
//
// In real time grants depend on the clock, so that a run does not repeat. Where all ranks meet for an evaluation (with
// train.work = "steps") the intervals around it contain it; with train.work = "shared" nobody waits for one.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/algorithms/server/parameter_server.h"
#include "core/step/archive.h"

namespace dasgd {
namespace {

struct DsspParams {
    std::int64_t servers = 1;
    std::int64_t staleness = 3;
    std::int64_t extra = 12;
    bool bounded = false;
    void visit(auto&& f) {
        f(servers, "servers", oneServerField());
        f(staleness, "staleness",
          {.min = 0,
           .max = 1e15,
           .unit = "steps",
           .symbol = "s_L",
           .help = "By so many steps a worker that starts one may be ahead of the slowest without a grant"});
        f(extra, "extra",
          {.min = 0,
           .max = 1e6,
           .unit = "steps",
           .symbol = "r_max",
           .help =
               "The most further steps that the server grants the fastest worker at once; 0: as ssp, every gradient "
               "an update"});
        f(bounded, "bounded",
          {.help = "No step starts with a lead above staleness + extra, as the paper's theorem 2 has it; false: as its "
                   "algorithms are written, without a bound"});
    }
};

class GrantedLead final : public UpdatePerPush {
public:
    GrantedLead(const Facts& facts, const DsspParams& params)
        : UpdatePerPush(facts), params_(params), pushes_(static_cast<std::size_t>(facts.workers)), start_(facts.start) {
        for (Pushes& pushes : pushes_) pushes.last = facts.start;
    }

    void take(const Push& push) override {
        UpdatePerPush::take(push);
        Pushes& own = pushes_[static_cast<std::size_t>(push.worker)];
        own.before = std::exchange(own.last, push.at + shiftOf(push.at));
        own.any = true;
        own.mayStart = decide(push.worker);
    }
    [[nodiscard]] bool mayStart(int worker) override {
        const bool granted = std::exchange(pushes_[static_cast<std::size_t>(worker)].mayStart, false);
        return granted || clocks().lead(worker) <= params_.staleness;
    }
    [[nodiscard]] std::vector<std::pair<std::string_view, double>> takeMetrics() override {
        return {{"granted", static_cast<double>(std::exchange(grantedSteps_, 0))}};
    }

    void save(Archive& archive) const override {
        for (std::size_t i = 0; i < pushes_.size(); ++i) {
            const std::string of = "." + std::to_string(i);
            archive.put("grant" + of, pushes_[i].grant);
            archive.put("last" + of, pushes_[i].last);
            archive.put("before" + of, pushes_[i].before);
            archive.put("any" + of, std::int64_t{pushes_[i].any});
        }
    }
    Status load(const Archive& archive) override {
        for (std::size_t i = 0; i < pushes_.size(); ++i) {
            const std::string of = "." + std::to_string(i);
            DASGD_ASSIGN(pushes_[i].grant, archive.integer("grant" + of));
            DASGD_ASSIGN(pushes_[i].last, archive.integer("last" + of));
            DASGD_ASSIGN(pushes_[i].before, archive.integer("before" + of));
            DASGD_ASSIGN(const std::int64_t any, archive.integer("any" + of));
            pushes_[i].any = any != 0;
        }
        shift_.reset();
        return {};
    }

private:
    struct Pushes {
        std::int64_t grant = 0;   // r: starts without a look at the lead
        Ns last = 0, before = 0;  // instants of the last push and of the one before
        bool any = false;         // has pushed
        bool mayStart = false;    // by the decision at its last push
        // At least 1 ns. As doubles, sums of nanoseconds are exact up to a hundred days.
        [[nodiscard]] double interval() const { return static_cast<double>(std::max<Ns>(1, last - before)); }
    };

    // A clock that began anew with a resumed run goes on from the last push before it.
    [[nodiscard]] Ns shiftOf(Ns at) {
        if (!shift_) {
            const Ns latest = std::ranges::max_element(pushes_, {}, &Pushes::last)->last;
            shift_ = at < latest ? latest - start_ : 0;
        }
        return *shift_;
    }

    [[nodiscard]] bool decide(int worker) {
        Pushes& own = pushes_[static_cast<std::size_t>(worker)];
        if (own.grant > 0) {
            --own.grant;
            return true;
        }
        if (clocks().lead(worker) <= params_.staleness) return true;
        if (clocks().of(worker) < clocks().most()) return false;
        const std::int64_t steps = bestGrant(own, clocks().lead(worker));
        grantedSteps_ += steps;
        if (steps == 0) return false;
        own.grant = params_.bounded ? steps - 1 : steps;
        return true;
    }

    // The number r of further pushes whose last one has the least distance to a push of the slowest worker, both
    // predicted by the last intervals (algorithm 2).
    [[nodiscard]] std::int64_t bestGrant(const Pushes& fast, std::int64_t lead) const {
        const Pushes& slow = pushes_[static_cast<std::size_t>(clocks().slowest())];
        if (!slow.any) return 0;
        std::int64_t most = params_.extra;
        if (params_.bounded) most = std::min(most, params_.staleness + params_.extra + 1 - lead);
        std::int64_t best = 0;
        double least = std::numeric_limits<double>::infinity();
        for (std::int64_t r = 0; r <= most; ++r) {
            const auto after = static_cast<double>(fast.last - slow.last);
            const double distance = distanceToPush(slow, after + static_cast<double>(r) * fast.interval());
            if (distance >= least) continue;
            least = distance;
            best = r;
        }
        return best;
    }

    // Nanoseconds from an instant `after` the last push of the slow worker to the nearest of its next r_max + 1
    // predicted ones.
    [[nodiscard]] double distanceToPush(const Pushes& slow, double after) const {
        const auto pushes = static_cast<double>(params_.extra + 1);
        const double earlier = std::clamp(std::floor(after / slow.interval()), 1.0, pushes);
        const double later = std::min(earlier + 1, pushes);
        return std::min(std::abs(earlier * slow.interval() - after), std::abs(later * slow.interval() - after));
    }

    DsspParams params_;
    std::vector<Pushes> pushes_;
    Ns start_;
    std::optional<Ns> shift_ = 0;    // nullopt: not known since the run was resumed
    std::int64_t grantedSteps_ = 0;  // in the present step of the server
};

class Dssp final : public ParameterServer {
public:
    explicit Dssp(const DsspParams& params) : ParameterServer(params.servers), params_(params) {}
    [[nodiscard]] std::unique_ptr<ServerPolicy> makePolicy(const ServerPolicy::Facts& facts) const override {
        return std::make_unique<GrantedLead>(facts, params_);
    }
    [[nodiscard]] bool hasUnboundedSkew(const RunLength& run) const override {
        const bool granted = params_.extra > 0 && !params_.bounded;
        return granted || params_.staleness + params_.extra >= run.steps - 1;
    }

private:
    [[nodiscard]] std::string awaitedAfter(std::int64_t step) const override {
        return gradientsOfAll(step - params_.staleness);
    }

    DsspParams params_;
};

const AlgorithmRegistry::Add<Dssp, DsspParams> kDsspEntry{
    "dssp", "Stale synchronous parallel that grants a fast worker further steps", "arXiv 1908.11848",
    noFormula("how far a worker may be ahead depends on when the others push")};

}  // namespace
}  // namespace dasgd
