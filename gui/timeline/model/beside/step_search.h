// Finds the start of a step in a run of any size, reading in portions.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "storage/read/span_reader.h"

namespace dasgd::gui {

class StepSearch {
public:
    StepSearch(std::string run, std::int64_t step) : run_(std::move(run)), step_(step) {}
    // Reads on until the start is known or `deadline` has passed, at least one part; false: there is more to read.
    // Errors: of the store; the next call starts over.
    Result<bool> look(storage::SpanReader& reader, std::chrono::steady_clock::time_point deadline);
    // Start of the earliest span of the step in the compute lane, loading excluded. Valid once look() has returned
    // true; nullopt: the run has no such step.
    [[nodiscard]] std::optional<Ns> start() const { return start_; }

private:
    Status lookAt(storage::SpanReader& reader, const storage::SpanPart& part);
    void push(const std::vector<storage::SpanPart>& parts);

    std::string run_;
    std::int64_t step_;
    bool begun_ = false;
    std::vector<storage::SpanPart> parts_;  // a heap, the earliest on top
    std::optional<Ns> start_;
};

}  // namespace dasgd::gui
