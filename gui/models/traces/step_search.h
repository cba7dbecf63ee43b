// Where a step of a run begins, read in portions: of millions of spans as of few.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "storage/run_reader.h"

namespace dasgd::gui {

class StepSearch {
public:
    StepSearch(std::string run, std::int64_t step) : run_(std::move(run)), step_(step) {}
    // Reads on until it is known or `deadline` has passed, at least a little; false: there is more to read. Errors: of
    // the store; the next call begins anew.
    Result<bool> look(storage::RunReader& reader, std::chrono::steady_clock::time_point deadline);
    // Of the earliest span of the step in the compute lane, loading apart. Once it is known; nullopt: the run has no
    // such step.
    [[nodiscard]] std::optional<Ns> start() const { return start_; }

private:
    Status lookAt(storage::RunReader& reader, const storage::SpanPart& part);
    void push(const std::vector<storage::SpanPart>& parts);

    std::string run_;
    std::int64_t step_;
    bool begun_ = false;
    std::vector<storage::SpanPart> parts_;  // a heap, the earliest on top
    std::optional<Ns> start_;
};

}  // namespace dasgd::gui
