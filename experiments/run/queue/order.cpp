#include "experiments/run/queue/order.h"

#include <algorithm>
#include <utility>

namespace dasgd::experiments {

std::vector<storage::RunRow> moved(const std::vector<storage::RunRow>& queue, const std::vector<storage::RunRow>& runs,
                                   const std::string& action) {
    const auto isMoved = [&](const storage::RunRow& row) {
        return std::ranges::find(runs, row.runId, &storage::RunRow::runId) != runs.end();
    };
    std::vector<storage::RunRow> order = queue;
    if (action == "first") {
        std::ranges::stable_partition(order, isMoved);
    } else if (action == "last") {
        std::ranges::stable_partition(order, [&](const storage::RunRow& row) { return !isMoved(row); });
    } else if (action == "up") {
        for (std::size_t i = 1; i < order.size(); ++i) {
            if (isMoved(order[i]) && !isMoved(order[i - 1])) std::swap(order[i], order[i - 1]);
        }
    } else {
        for (std::size_t i = order.size(); i-- > 1;) {
            if (isMoved(order[i - 1]) && !isMoved(order[i])) std::swap(order[i], order[i - 1]);
        }
    }
    return order;
}

}  // namespace dasgd::experiments
