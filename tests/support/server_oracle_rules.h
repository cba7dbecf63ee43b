// Rules of the parameter servers of server_oracle.h: which gradients make an update, and when workers start again. They
// are written from the text of their definitions and share no code with those of the engine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

namespace dasgd::test {

// Pushes of each worker that the server has taken: c of algorithms.md.
struct ServerClocks {
    std::vector<std::int64_t> taken;

    [[nodiscard]] int workers() const { return static_cast<int>(taken.size()); }
    [[nodiscard]] std::int64_t of(int worker) const { return taken[static_cast<std::size_t>(worker)]; }
    [[nodiscard]] std::int64_t least() const { return *std::min_element(taken.begin(), taken.end()); }
    [[nodiscard]] std::int64_t most() const { return *std::max_element(taken.begin(), taken.end()); }
    [[nodiscard]] std::int64_t lead(int worker) const { return of(worker) - least(); }
    // The lowest rank with the fewest pushes.
    [[nodiscard]] int slowest() const {
        return static_cast<int>(std::min_element(taken.begin(), taken.end()) - taken.begin());
    }
    [[nodiscard]] std::vector<int> everyone() const {
        std::vector<int> all(taken.size());
        std::iota(all.begin(), all.end(), 0);
        return all;
    }
};

struct OracleUpdate {
    std::vector<int> gradients;   // workers whose newest gradients are averaged; none: no update now
    double rateFactor = 1;        // times the configured rate
    bool resetsMomentum = false;  // after the update
};

// When pushes become updates, and when workers start again.
class OracleRule {
public:
    virtual ~OracleRule() = default;
    // Called for each push, which `clocks` counts already, before anybody is answered.
    virtual OracleUpdate push(const ServerClocks& clocks, int worker, std::int64_t atNs) = 0;
    // Asked of each waiting worker, by rank, once after each push.
    virtual bool mayStart(const ServerClocks& clocks, int worker) = 0;
    // Update from the gradients that are held when shared work is over. Default: none.
    virtual OracleUpdate last() { return {}; }
    // True where shared work ends after `steps` updates, however many gradients they take.
    [[nodiscard]] virtual bool countsUpdates() const { return false; }
    // Least difference between a choice that the rule made by instants and the next best one. Where it is more than
    // instants may be off, another simulation chooses the same.
    [[nodiscard]] virtual std::int64_t narrowestChoiceNs() const { return std::numeric_limits<std::int64_t>::max(); }
};

class OracleAsync final : public OracleRule {
public:
    OracleUpdate push(const ServerClocks&, int worker, std::int64_t) override { return {.gradients = {worker}}; }
    bool mayStart(const ServerClocks&, int) override { return true; }
};

// Stale synchronous parallel. Without a lead the mean of all gradients is one update, unless `perPush`.
class OracleSsp final : public OracleRule {
public:
    explicit OracleSsp(std::int64_t staleness, bool perPush = false)
        : staleness_(staleness), perPush_(perPush || staleness > 0) {}
    OracleUpdate push(const ServerClocks& clocks, int worker, std::int64_t) override {
        if (perPush_) return {.gradients = {worker}};
        const bool all = clocks.least() == clocks.most();
        return {.gradients = all ? clocks.everyone() : std::vector<int>()};
    }
    bool mayStart(const ServerClocks& clocks, int worker) override { return clocks.lead(worker) <= staleness_; }

private:
    std::int64_t staleness_;
    bool perPush_;
};

// SplitMix64 (Steele, Lea, Flood 2014).
struct OracleSplitMix64 {
    std::uint64_t state = 0;

    std::uint64_t next() {
        state += 0x9e3779b97f4a7c15ULL;
        std::uint64_t z = state;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }
};

// Probabilistic synchronous parallel: c_i − c_j ≤ `staleness` for each j of a sample of the workers, i among them.
class OraclePsp final : public OracleRule {
public:
    struct Settings {
        std::int64_t sample = 0;  // β
        std::int64_t staleness = 0;
        bool redraw = true;  // a waiting worker draws anew at each push that the server takes
        std::uint64_t seed = 0;
    };
    OraclePsp(const Settings& settings, int workers)
        : settings_(settings), draws_(static_cast<std::size_t>(workers), 0) {}

    OracleUpdate push(const ServerClocks&, int worker, std::int64_t) override {
        draws_[static_cast<std::size_t>(worker)] = 0;
        return {.gradients = {worker}};
    }
    bool mayStart(const ServerClocks& clocks, int worker) override {
        std::uint64_t& draws = draws_[static_cast<std::size_t>(worker)];
        const std::uint64_t draw = settings_.redraw ? draws++ : 0;
        const std::vector<int> sample = sampleOf(settings_, clocks, worker, draw);
        return std::all_of(sample.begin(), sample.end(),
                           [&](int other) { return clocks.of(worker) - clocks.of(other) <= settings_.staleness; });
    }
    // A stream for each worker, push and draw, so that a sample does not depend on what others drew before.
    static std::vector<int> sampleOf(const Settings& settings, const ServerClocks& clocks, int worker,
                                     std::uint64_t draw) {
        OracleSplitMix64 stream{settings.seed};
        for (const std::uint64_t key :
             {static_cast<std::uint64_t>(worker) + 1, static_cast<std::uint64_t>(clocks.of(worker)), draw}) {
            OracleSplitMix64 mixed{stream.state ^ key};
            stream.state = mixed.next();
        }
        std::vector<int> places = clocks.everyone();
        const auto count = static_cast<std::size_t>(settings.sample);
        for (std::size_t j = 0; j < count; ++j) {
            std::swap(places[j], places[j + static_cast<std::size_t>(stream.next() % (places.size() - j))]);
        }
        places.resize(count);
        return places;
    }

private:
    Settings settings_;
    std::vector<std::uint64_t> draws_;  // of each worker since its push
};

// Dynamic stale synchronous parallel (1908.11848, algorithms 1 and 2).
class OracleDssp final : public OracleRule {
public:
    struct Settings {
        std::int64_t staleness = 3;  // s_L
        std::int64_t extra = 12;     // r_max
        bool bounded = false;
    };
    OracleDssp(const Settings& settings, int workers)
        : settings_(settings), byWorker_(static_cast<std::size_t>(workers)) {}

    OracleUpdate push(const ServerClocks& clocks, int worker, std::int64_t atNs) override {
        ByWorker& own = byWorker_[static_cast<std::size_t>(worker)];
        own.intervalNs = atNs - own.lastNs;
        own.lastNs = atNs;
        if (own.granted > 0) {
            --own.granted;
            own.hasLeave = true;
        } else if (clocks.lead(worker) > settings_.staleness && clocks.of(worker) == clocks.most()) {
            const std::int64_t steps = controller(clocks, worker);
            own.hasLeave = steps > 0;
            // As written the start that follows at once is not counted; bounded it is.
            own.granted = settings_.bounded ? std::max<std::int64_t>(steps - 1, 0) : steps;
        }
        return {.gradients = {worker}};
    }
    bool mayStart(const ServerClocks& clocks, int worker) override {
        const bool hasLeave = std::exchange(byWorker_[static_cast<std::size_t>(worker)].hasLeave, false);
        return hasLeave || clocks.lead(worker) <= settings_.staleness;
    }
    [[nodiscard]] std::int64_t narrowestChoiceNs() const override { return narrowestNs_; }

private:
    struct ByWorker {
        std::int64_t lastNs = 0;      // instant of the last push; at first that at which training starts
        std::int64_t intervalNs = 0;  // between the last two
        std::int64_t granted = 0;
        bool hasLeave = false;  // to start at its last push, whatever its lead
    };

    // Steps after which the worker pushes nearest to a push of the slowest.
    std::int64_t controller(const ServerClocks& clocks, int worker) {
        const int slowest = clocks.slowest();
        if (clocks.of(slowest) == 0) return 0;
        const ByWorker& own = byWorker_[static_cast<std::size_t>(worker)];
        const ByWorker& other = byWorker_[static_cast<std::size_t>(slowest)];
        std::int64_t most = settings_.extra;
        if (settings_.bounded) {
            most = std::min(most, settings_.staleness + settings_.extra + 1 - clocks.lead(worker));
        }
        std::vector<std::int64_t> distances;  // for each r the least over k
        for (std::int64_t r = 0; r <= most; ++r) {
            std::int64_t least = std::numeric_limits<std::int64_t>::max();
            for (std::int64_t k = 0; k <= settings_.extra; ++k) {
                const std::int64_t theirs = other.lastNs + (k + 1) * other.intervalNs;
                least = std::min(least, std::abs(theirs - own.lastNs - r * own.intervalNs));
            }
            distances.push_back(least);
        }
        const auto best = std::min_element(distances.begin(), distances.end());  // the first, where several are equal
        for (auto each = distances.begin(); each != distances.end(); ++each) {
            if (each != best) narrowestNs_ = std::min(narrowestNs_, *each - *best);
        }
        return best - distances.begin();
    }

    Settings settings_;
    std::vector<ByWorker> byWorker_;
    std::int64_t narrowestNs_ = std::numeric_limits<std::int64_t>::max();
};

// Sync-Switch: bulk-synchronous for the first steps of every worker, asynchronous from then on.
class OracleSyncSwitch final : public OracleRule {
public:
    struct Settings {
        std::int64_t syncSteps = 0;  // k₀
        double syncRate = 0;         // rate of those steps ÷ the configured one; 0: number of workers
        bool resetsMomentum = false;
    };
    explicit OracleSyncSwitch(const Settings& settings) : settings_(settings) {}

    OracleUpdate push(const ServerClocks& clocks, int worker, std::int64_t) override {
        if (!isSynchronous(clocks, worker)) return {.gradients = {worker}};
        if (clocks.least() < clocks.most()) return {};
        const double factor = settings_.syncRate == 0 ? clocks.workers() : settings_.syncRate;
        const bool last = clocks.least() == settings_.syncSteps;
        return {
            .gradients = clocks.everyone(), .rateFactor = factor, .resetsMomentum = last && settings_.resetsMomentum};
    }
    bool mayStart(const ServerClocks& clocks, int worker) override {
        return !isSynchronous(clocks, worker) || clocks.lead(worker) == 0;
    }

private:
    [[nodiscard]] bool isSynchronous(const ServerClocks& clocks, int worker) const {
        return clocks.of(worker) <= settings_.syncSteps;
    }
    Settings settings_;
};

// A rule that holds gradients until one update of all of them. Their workers wait for it.
class OracleHolding : public OracleRule {
public:
    bool mayStart(const ServerClocks&, int worker) override {
        return std::find(held_.begin(), held_.end(), worker) == held_.end();
    }

protected:
    void hold(int worker) { held_.push_back(worker); }
    [[nodiscard]] std::int64_t held() const { return static_cast<std::int64_t>(held_.size()); }
    // The mean of those held, which is summed by rank.
    OracleUpdate release() {
        std::sort(held_.begin(), held_.end());
        return {.gradients = std::exchange(held_, {})};
    }

private:
    std::vector<int> held_;  // workers, in order of arrival
};

// K-async (1803.01113): the first K gradients make an update, of whatever weights they are.
class OracleKAsync final : public OracleHolding {
public:
    struct Settings {
        std::int64_t gradients = 2;  // K at the start
        std::int64_t growth = 0;     // updates after which K rises by one, up to all workers; 0: it stays
    };
    explicit OracleKAsync(const Settings& settings) : settings_(settings) {}

    OracleUpdate push(const ServerClocks& clocks, int worker, std::int64_t) override {
        hold(worker);
        const std::int64_t risen = settings_.growth == 0 ? 0 : updates_ / settings_.growth;
        if (held() < std::min<std::int64_t>(settings_.gradients + risen, clocks.workers())) return {};
        ++updates_;
        return release();
    }
    OracleUpdate last() override { return release(); }

private:
    Settings settings_;
    std::int64_t updates_ = 0;
};

// Backup workers (1604.00981): the first P − b gradients of the newest weights make an update, and those of older
// weights are dropped.
class OracleBackup final : public OracleHolding {
public:
    OracleBackup(std::int64_t backup, int workers) : backup_(backup), read_(static_cast<std::size_t>(workers), 0) {}

    OracleUpdate push(const ServerClocks& clocks, int worker, std::int64_t) override {
        if (read_[static_cast<std::size_t>(worker)] < version_) return {};
        hold(worker);
        if (held() < clocks.workers() - backup_) return {};
        ++version_;
        return release();
    }
    bool mayStart(const ServerClocks& clocks, int worker) override {
        const bool starts = OracleHolding::mayStart(clocks, worker);
        if (starts) read_[static_cast<std::size_t>(worker)] = version_;
        return starts;
    }
    [[nodiscard]] bool countsUpdates() const override { return true; }

private:
    std::int64_t backup_;             // b
    std::int64_t version_ = 0;        // updates made
    std::vector<std::int64_t> read_;  // version that each worker has read
};

// ElasticBSP (Zhao et al., ICDM 2019). In a superstep every gradient but the last of each worker is an update of its
// own; the last ones wait for each other and make one together. Which are the last is chosen so that the pushes, as
// predicted, are closest together.
class OracleElasticBsp final : public OracleHolding {
public:
    struct Settings {
        std::int64_t lookahead = 15;  // R: pushes of each worker that are predicted
        std::int64_t monitor = 2;     // of each worker, before they are; 0: they are at the barrier
    };
    // What the prediction is made from, for each worker.
    struct Pace {
        std::int64_t lastNs = 0;      // push r is predicted `r` intervals later
        std::int64_t intervalNs = 0;  // from the last start to the last push
    };
    struct Meeting {
        std::vector<std::int64_t> pushes;  // r of each worker, counted from 1
        std::int64_t apartNs = std::numeric_limits<std::int64_t>::max();
        std::int64_t atNs = 0;                                             // predicted instant of its last push
        int first = 0, last = 0;                                           // workers of its first and last push
        std::int64_t narrowNs = std::numeric_limits<std::int64_t>::max();  // by how much any other is further apart
    };

    OracleElasticBsp(const Settings& settings, int workers)
        : settings_(settings), byWorker_(static_cast<std::size_t>(workers)) {
        if (settings_.monitor > 0) return;
        for (ByWorker& each : byWorker_) each.stop = 1;  // no step has told the paces yet
    }

    OracleUpdate push(const ServerClocks& clocks, int worker, std::int64_t atNs) override {
        nowNs_ = atNs;
        ByWorker& own = byWorker_[static_cast<std::size_t>(worker)];
        own.pace = {atNs, atNs - own.startedNs};
        ++own.pushes;
        if (own.stop == 0) {
            const bool known = std::all_of(byWorker_.begin(), byWorker_.end(),
                                           [&](const ByWorker& each) { return each.pushes >= settings_.monitor; });
            if (known) predict();
            return {.gradients = {worker}};
        }
        if (own.pushes < own.stop) return {.gradients = {worker}};
        hold(worker);
        if (held() < clocks.workers()) return {};
        beginSuperstep();
        return release();
    }
    bool mayStart(const ServerClocks& clocks, int worker) override {
        const bool starts = OracleHolding::mayStart(clocks, worker);
        if (starts) byWorker_[static_cast<std::size_t>(worker)].startedNs = nowNs_;
        return starts;
    }
    OracleUpdate last() override { return release(); }
    [[nodiscard]] std::int64_t narrowestChoiceNs() const override { return narrowestNs_; }

    // Tries all combinations of one push a worker. Of several that are as close the one that ends first is taken, and
    // in it the newest push of each worker.
    static Meeting meetingOf(const std::vector<Pace>& paces, std::int64_t lookahead) {
        Meeting best;
        forEachCombination(paces, lookahead, [&](const Meeting& tried) {
            const bool earlier = std::tie(tried.apartNs, tried.atNs) < std::tie(best.apartNs, best.atNs);
            const bool asEarly = std::tie(tried.apartNs, tried.atNs) == std::tie(best.apartNs, best.atNs);
            if (earlier || (asEarly && tried.pushes > best.pushes)) best = tried;
        });
        forEachCombination(paces, lookahead, [&](const Meeting& other) {
            const auto sameAt = [&](int worker) {
                return other.pushes[static_cast<std::size_t>(worker)] == best.pushes[static_cast<std::size_t>(worker)];
            };
            // Pushes between the same first and last one do not change how far these are apart.
            const bool sameEnds =
                other.first == best.first && other.last == best.last && sameAt(best.first) && sameAt(best.last);
            if (!sameEnds) best.narrowNs = std::min(best.narrowNs, other.apartNs - best.apartNs);
        });
        return best;
    }

private:
    struct ByWorker {
        std::int64_t startedNs = 0;  // instant of its last answer; at first that at which training starts
        std::int64_t pushes = 0;     // since the barrier
        std::int64_t stop = 0;       // of these the last one; 0: not predicted yet
        Pace pace;
    };

    static void forEachCombination(const std::vector<Pace>& paces, std::int64_t lookahead,
                                   const std::function<void(const Meeting&)>& visit) {
        std::vector<std::int64_t> pushes(paces.size(), 1);
        for (std::size_t turned = 0; turned < pushes.size();) {
            std::vector<std::int64_t> instants;
            for (std::size_t i = 0; i < paces.size(); ++i) {
                instants.push_back(paces[i].lastNs + pushes[i] * paces[i].intervalNs);
            }
            const auto [first, last] = std::minmax_element(instants.begin(), instants.end());
            visit({.pushes = pushes,
                   .apartNs = *last - *first,
                   .atNs = *last,
                   .first = static_cast<int>(first - instants.begin()),
                   .last = static_cast<int>(last - instants.begin())});
            for (turned = 0; turned < pushes.size() && ++pushes[turned] > lookahead; ++turned) pushes[turned] = 1;
        }
    }

    void predict() {
        std::vector<Pace> paces;
        for (const ByWorker& each : byWorker_) paces.push_back(each.pace);
        const Meeting meeting = meetingOf(paces, settings_.lookahead);
        narrowestNs_ = std::min(narrowestNs_, meeting.narrowNs);
        for (std::size_t i = 0; i < byWorker_.size(); ++i) {
            byWorker_[i].stop = byWorker_[i].pushes + meeting.pushes[i];
        }
    }

    void beginSuperstep() {
        for (ByWorker& each : byWorker_) {
            each.pushes = 0;
            each.stop = 0;
            each.pace.lastNs = nowNs_;  // all start now
        }
        if (settings_.monitor == 0) predict();
    }

    Settings settings_;
    std::vector<ByWorker> byWorker_;
    std::int64_t nowNs_ = 0;  // instant of the last push
    std::int64_t narrowestNs_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace dasgd::test
