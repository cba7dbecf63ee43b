// Failures and recoveries of a virtual cluster's hosts and links. core/sim/README.md describes the effect of a failure.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/base/schema/fields.h"

namespace dasgd {

struct FaultParams {
    std::vector<std::vector<double>> hosts, links;
    std::string hostMtbf = "never", hostMttr = "30s";
    std::string linkMtbf = "never", linkMttr = "1s";
    std::int64_t seed = -1;  // below 0: train.seed, once an experiment is read
    void visit(auto&& f) {
        const char* rows =
            "one row each: [rank, at_s, for_s]; without for_s it does not come back. A host that is out stands still; "
            "a "
            "link that is out loses what is on it, and sends it again afterwards";
        f(hosts, "hosts", {.min = 0, .max = 1e9, .help = std::string("Hosts that fail, ") + rows});
        f(links, "links",
          {.min = 0, .max = 1e9, .help = std::string("Ranks whose link to the network fails, ") + rows});
        f(hostMtbf, "host_mtbf", {.help = "Mean time of a host between coming back and failing, as 1h; never"});
        f(hostMttr, "host_mttr", {.help = "Mean time until such a host is back, as 30s"});
        f(linkMtbf, "link_mtbf", {.help = "Mean time of a link between coming back and failing, as 1h; never"});
        f(linkMttr, "link_mttr", {.help = "Mean time until such a link is back, as 1s"});
        f(seed, "seed",
          {.min = -1, .max = 9e15, .help = "Of the random failures, whose times are exponential; -1: train.seed"});
    }
    [[nodiscard]] std::optional<FieldError> check() const;
    // Checks that every row names one of so many ranks.
    [[nodiscard]] std::optional<FieldError> checkRanks(int ranks) const;
};

// A failure, or its end.
struct FaultEvent {
    int rank = 0;
    bool ofLink = false;  // a failure of its link; otherwise of its host
    bool down = false;
    double at = 0;  // simulated seconds
};

// Time range in seconds; `until` is infinite where the outage never ends.
struct Outage {
    double from = std::numeric_limits<double>::infinity();
    double until = std::numeric_limits<double>::infinity();
};

// Outages of one host, or of one link: those that were given and those drawn at random, with overlaps merged. Draws
// only as far as it is asked. Not thread-safe.
class OutageCalendar {
public:
    enum class Of : std::uint8_t { Host, Link };
    OutageCalendar(const FaultParams& params, Of what, int rank);

    // The first outage that ends after `instant`, which it may have begun before; starts at infinity where there is
    // none.
    [[nodiscard]] Outage next(double instant);
    // Instant at which work of `seconds` that begins at `instant` is done, if it rests during outages; infinite where
    // it never is.
    [[nodiscard]] double endOf(double instant, double seconds);

private:
    [[nodiscard]] double exponential(double mean);
    [[nodiscard]] Outage draw();
    // Makes one more of outages_ final.
    void extend();

    std::vector<Outage> given_;  // not yet taken in; the next one last
    Outage drawn_;               // the next random one
    double meanUp_ = 0, meanDown_ = 0;
    std::mt19937_64 bits_;
    std::vector<Outage> outages_;  // in order and disjoint; all that begin before the next outage of either source
};

}  // namespace dasgd
