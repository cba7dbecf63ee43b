// Objects of JSON, one per line, over a pipe: the messages between `dasgd run --on` and `dasgd host-ranks`.
#pragma once

#include <chrono>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/base/result.h"

namespace dasgd::experiments {

// The reading end. Owner: one thread; the descriptor is somebody else's.
class JsonLineReader {
public:
    static constexpr std::size_t kMostBytes = std::size_t{8} << 20;  // most bytes of one line

    explicit JsonLineReader(int fd) : fd_(fd) {}

    // Takes in what is there, and waits for it no longer than `patience`. False once the other end has closed, or sent
    // a line that is too long.
    [[nodiscard]] bool read(std::chrono::milliseconds patience);
    // The next whole line that is an object; other lines are left out: shells and their start files print things.
    [[nodiscard]] std::optional<nlohmann::json> next();
    // The last line that was left out, "" where there is none.
    [[nodiscard]] const std::string& strayLine() const { return stray_; }

private:
    int fd_;
    std::string pending_, stray_;
    bool ended_ = false;
};

// Writes one line. Errors: the other end has closed, or takes nothing for ten seconds.
[[nodiscard]] Status writeJsonLine(int fd, const nlohmann::json& line);

}  // namespace dasgd::experiments
