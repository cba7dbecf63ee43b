// Chooses the waiting run that starts next, and its cores and GPUs: no two runs share one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiments/run/queue/needs.h"

namespace dasgd::experiments {

// Pure book-keeping. Owner: one thread.
class Slots {
public:
    // A run may be overtaken so often by runs behind it that need less; from then on nothing starts before it.
    static constexpr int kOvertaken = 3;

    struct Waiting {
        std::string run;
        Needs needs;
    };
    struct Seats {
        std::vector<int> cpus;
        std::vector<std::string> gpus;
        bool all = false;  // it needs more cores than there are: it runs alone, on all of them
    };

    // At most `atOnce` runs train at a time, those of other commands included.
    Slots(Machine machine, int atOnce) : machine_(std::move(machine)), atOnce_(atOnce) {}

    // Its place in `waiting`, the first of which is due; nullopt where nothing can start yet. `elsewhere`: what runs
    // need that train here and were not seated by this object.
    [[nodiscard]] std::optional<std::size_t> next(const std::vector<Waiting>& waiting,
                                                  const std::vector<Needs>& elsewhere);
    // Seats one that next() answered.
    Seats seat(const Waiting& run);
    void leave(const std::string& run) { seated_.erase(run); }
    [[nodiscard]] std::size_t seated() const { return seated_.size(); }
    // More than the machine has; of GPUs such a run fails, of cores it runs alone.
    [[nodiscard]] bool isTooLarge(const Needs& needs) const;

private:
    [[nodiscard]] bool fits(const Needs& needs, const std::vector<Needs>& elsewhere) const;

    Machine machine_;
    int atOnce_;
    std::map<std::string, Seats> seated_;
    std::map<std::string, int> overtaken_;
};

}  // namespace dasgd::experiments
