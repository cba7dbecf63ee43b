#include "experiments/run/queue/slots.h"

#include <algorithm>

namespace dasgd::experiments {

namespace {

template <class T>
std::vector<T> firstFree(const std::vector<T>& all, const std::vector<T>& taken, int count) {
    std::vector<T> free;
    for (const T& one : all) {
        if (static_cast<int>(free.size()) == count) break;
        if (std::ranges::find(taken, one) == taken.end()) free.push_back(one);
    }
    return free;
}

}  // namespace

bool Slots::isTooLarge(const Needs& needs) const {
    const Needs size = machine_.size();
    return needs.cores > size.cores || needs.gpus > size.gpus;
}

bool Slots::fits(const Needs& needs, const std::vector<Needs>& elsewhere) const {
    const bool alone = seated_.empty() && elsewhere.empty();
    if (isTooLarge(needs)) return alone;
    Needs free = machine_.size();
    for (const auto& [run, seats] : seated_) {
        if (seats.all) return false;
        free.cores -= static_cast<int>(seats.cpus.size());
        free.gpus -= static_cast<int>(seats.gpus.size());
    }
    for (const Needs& other : elsewhere) {
        free.cores -= other.cores;
        free.gpus -= other.gpus;
    }
    return needs.cores <= free.cores && needs.gpus <= free.gpus;
}

std::optional<std::size_t> Slots::next(const std::vector<Waiting>& waiting, const std::vector<Needs>& elsewhere) {
    if (seated_.size() + elsewhere.size() >= static_cast<std::size_t>(atOnce_)) return std::nullopt;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
        if (fits(waiting[i].needs, elsewhere)) {
            for (std::size_t before = 0; before < i; ++before) ++overtaken_[waiting[before].run];
            overtaken_.erase(waiting[i].run);
            return i;
        }
        const auto found = overtaken_.find(waiting[i].run);
        if (found != overtaken_.end() && found->second >= kOvertaken) return std::nullopt;
    }
    return std::nullopt;
}

Slots::Seats Slots::seat(const Waiting& run) {
    Seats seats{.all = isTooLarge(run.needs)};
    if (seats.all) {
        seats.cpus = machine_.cpus;
        seats.gpus = machine_.gpus;
    } else {
        Seats taken;
        for (const auto& [other, has] : seated_) {
            taken.cpus.insert(taken.cpus.end(), has.cpus.begin(), has.cpus.end());
            taken.gpus.insert(taken.gpus.end(), has.gpus.begin(), has.gpus.end());
        }
        seats.cpus = firstFree(machine_.cpus, taken.cpus, run.needs.cores);
        seats.gpus = firstFree(machine_.gpus, taken.gpus, run.needs.gpus);
    }
    return seated_[run.run] = seats;
}

}  // namespace dasgd::experiments
