// The two orders of a local step and an exchange.
#pragma once

#include <string>

#include "core/algorithms/averaging/delayed_average.h"

namespace dasgd {

struct ExchangeOrder {
    std::string order = "published";
    void visit(auto&& f) {
        f(order, "order",
          {.help = "published: x <- Wx - step(x), so that the exchange has a step to hide behind. adapt-then-combine: "
                   "x <- W(x - step(x)), for which all wait",
           .choices = {"published", "adapt-then-combine"}});
    }
    [[nodiscard]] DelayedAverageParams every(std::int64_t period) const {
        if (order == "published") return deltaOverPeriod(period);
        return {.period = period, .delay = 0, .localWeight = 0};
    }
};

}  // namespace dasgd
