// ElasticBSP (Zhao et al., "Elastic Bulk Synchronous Parallel Model for Distributed Deep Learning", ICDM 2019; Machine
// Learning 2021): workers meet at barriers, as far apart as suits their paces. A superstep between two barriers:
//   - every gradient is an update at once, until each worker has pushed `monitor` times;
//   - of the next R pushes of each worker, predicted by its last interval, ZipLine chooses one of each so that they
//   come
//     as near together as they can (zip_line.h);
//   - a worker whose chosen push has come waits; when all have come, they make one update of their mean.
// The chosen numbers of pushes decide, not the predicted instants.
//
// Read: the text, and the authors' predictor (xingzhaoo/ElasticBSP); ZipLine itself is not released. Our reading: the
// last pushes of a superstep make one update together ("aggregation similar to BSP"), the ones before one each. A
// prediction is of pushes to come, r = 1 … R. With monitor = 0 it is made at the barrier, from the time that each
// worker took from its last start to its last push, and the first superstep, of which nothing is known, is a step of
// every worker; with R = 1 that is bulk-synchronous SGD. As published (monitor = 2) a superstep has three steps at
// least.
//
// The workers share the gradients of the run. In real time predictions depend on the clock, so that a run does not
// repeat.
#include <algorithm>
#include <string>
#include <utility>

#include "core/algorithms/server/parameter_server.h"
#include "core/algorithms/server/zip_line.h"

namespace dasgd {
namespace {

struct ElasticBspParams {
    std::int64_t servers = 1;
    std::int64_t lookahead = 15;
    std::int64_t monitor = 2;
    void visit(auto&& f) {
        f(servers, "servers", oneServerField());
        f(lookahead, "lookahead",
          {.min = 1,
           .max = 1e4,
           .unit = "steps",
           .symbol = "R",
           .help = "Number of pushes of each worker that are predicted"});
        f(monitor, "monitor",
          {.min = 0,
           .max = 1e4,
           .unit = "steps",
           .help = "Pushes of every worker after a barrier before its next ones are predicted; 0: at the barrier"});
    }
    [[nodiscard]] std::optional<FieldError> check() const {
        if (monitor != 1) return std::nullopt;
        return FieldError{"monitor",
                          "between one push and the next lies the first interval, so monitor = 1 predicts "
                          "from none: set 0, or 2 and more"};
    }
};

class Supersteps final : public ServerPolicy {
public:
    Supersteps(const Facts& facts, const ElasticBspParams& params)
        : params_(params), workers_(static_cast<std::size_t>(facts.workers)) {
        for (Worker& worker : workers_) worker.last = facts.start;
        if (params_.monitor == 0) meetAfterAStep();
    }

    void take(const Push& push) override {
        Worker& worker = workers_[static_cast<std::size_t>(push.worker)];
        worker.interval = push.at - worker.last;
        worker.last = push.at;
        ++worker.pushes;
        if (isPredicted_ && worker.pushes == worker.stop) {
            worker.waits = true;
            ++waiting_;
        } else {
            single_ = push.worker;
        }
        const auto isMonitored = [&](const Worker& one) { return one.pushes >= params_.monitor; };
        if (!isPredicted_ && std::ranges::all_of(workers_, isMonitored)) predict();
    }
    [[nodiscard]] std::optional<Update> nextUpdate() override {
        if (single_) return Update{.workers = {*std::exchange(single_, std::nullopt)}};
        if (waiting_ == 0 || (!noneFollows_ && waiting_ < std::ssize(workers_))) return std::nullopt;
        Update update;
        for (std::size_t i = 0; i < workers_.size(); ++i) {
            if (workers_[i].waits) update.workers.push_back(static_cast<int>(i));
        }
        meet();
        return update;
    }
    [[nodiscard]] bool mayStart(int worker) override { return !workers_[static_cast<std::size_t>(worker)].waits; }
    void noneFollows() override { noneFollows_ = true; }
    [[nodiscard]] std::vector<std::pair<std::string_view, double>> takeMetrics() override {
        if (!superstep_) return {};
        return {{"superstep", static_cast<double>(*std::exchange(superstep_, std::nullopt))}};
    }

private:
    struct Worker {
        Ns last = 0;              // instant of its last push, or of the start after it
        Ns interval = 0;          // until the last push
        std::int64_t pushes = 0;  // since the barrier
        std::int64_t stop = 0;    // number of the push with which it waits
        bool waits = false;
    };

    void meetAfterAStep() {
        isPredicted_ = true;
        for (Worker& worker : workers_) worker.stop = 1;
    }
    void predict() {
        std::vector<std::vector<Ns>> instants;
        for (const Worker& worker : workers_) {
            std::vector<Ns>& own = instants.emplace_back();
            for (std::int64_t r = 1; r <= params_.lookahead; ++r) own.push_back(worker.last + r * worker.interval);
        }
        const ZipLineChoice choice = zipLine(instants);
        for (std::size_t i = 0; i < workers_.size(); ++i) workers_[i].stop = workers_[i].pushes + choice.chosen[i] + 1;
        isPredicted_ = true;
    }
    // All start anew, at the instant of the last push.
    void meet() {
        superstep_ = std::ranges::max(workers_, {}, &Worker::pushes).pushes;
        const Ns now = std::ranges::max(workers_, {}, &Worker::last).last;
        for (Worker& worker : workers_) worker = {.last = now, .interval = worker.interval};
        waiting_ = 0;
        isPredicted_ = false;
        if (params_.monitor == 0) predict();
    }

    ElasticBspParams params_;
    std::vector<Worker> workers_;
    bool isPredicted_ = false;
    std::int64_t waiting_ = 0;
    std::optional<int> single_;              // worker whose gradient is an update of its own
    std::optional<std::int64_t> superstep_;  // steps of the fastest worker in the superstep that ended last
    bool noneFollows_ = false;
};

class ElasticBsp final : public ParameterServer {
public:
    explicit ElasticBsp(const ElasticBspParams& params) : ParameterServer(params.servers), params_(params) {}
    [[nodiscard]] std::unique_ptr<ServerPolicy> makePolicy(const ServerPolicy::Facts& facts) const override {
        return std::make_unique<Supersteps>(facts, params_);
    }
    [[nodiscard]] bool alwaysShares() const override { return true; }

private:
    [[nodiscard]] std::string awaitedAfter(std::int64_t) const override {
        return "the last gradient of each worker before the barrier";
    }

    ElasticBspParams params_;
};

const AlgorithmRegistry::Add<ElasticBsp, ElasticBspParams> kElasticBspEntry{
    "elastic_bsp", "Parameter server whose barriers come where the workers' paces meet", "Zhao et al., ICDM 2019",
    noFormula("its barriers depend on when the workers push")};

}  // namespace
}  // namespace dasgd
