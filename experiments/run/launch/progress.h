// How far a run is, on stderr. For the person at the terminal: one bar that redraws itself, or a line now and then
// where stderr is no terminal. For a program: lines of JSON, the first of a run before its first step:
//
//   {"progress":{"title":"2/4 dasgd, seed 1","completed":420,"total":1000,"remark":""}}
#pragma once

#include <cstdint>
#include <string>

#include "core/base/clock.h"

namespace dasgd::experiments {

class Progress {
public:
    enum class Style { Bar, Lines, Json, Silent };
    static Style styleFor(bool quiet, bool json = false);

    // `title`: "2/4 dasgd seed 1".
    Progress(const std::string& title, std::int64_t totalSteps, Style style);
    // Erases an unfinished bar.
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // Cheap to call often: draws at most five times a second.
    void update(std::int64_t completedSteps, const std::string& remark = "");
    // A line that stays, above the bar.
    void note(const std::string& line);

    // "[#####....]  42 %  420/1000 steps  118 steps/s  ETA 4.9 s"; `elapsed` since the first step.
    [[nodiscard]] static std::string barText(std::int64_t completed, std::int64_t total, double elapsedS, int width);

private:
    void printJson(std::int64_t completedSteps, const std::string& remark) const;
    void erase();

    std::string title_;
    std::int64_t total_;
    Style style_;
    Ns drawnAt_ = 0;
    Ns firstStepAt_ = 0;
    std::int64_t firstStep_ = 0;
    bool drawn_ = false;
};

}  // namespace dasgd::experiments
