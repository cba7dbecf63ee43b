// Checks that SimGrid can build the network of a platform file. A process of its own does it, because SimGrid may end
// the process that it runs in.
#pragma once

#include <filesystem>
#include <string>

#include "core/base/clock.h"
#include "core/base/result.h"

namespace dasgd::experiments {

struct PlatformQuestion {
    std::filesystem::path file;
    std::string hosts;  // hosts as the experiment names them
    int workers = 0;
};

inline constexpr Ns kPlatformPatience = 60'000'000'000;

// Runs `program`, a `dasgd`, with the hidden command check-platform, which may write nothing (sandbox.h), and kills it
// when `patience` is over; a second time, to say which route, where it ends over one. Errors: what is wrong with the
// platform and what to do; `file` first.
[[nodiscard]] Status askAboutPlatform(const PlatformQuestion& question, const std::string& program,
                                      Ns patience = kPlatformPatience);

// Prefixes of the lines that this process prints: kPlatformStep before each step and, at the end, kPlatformAnswer with
// "ok" or an error. All other lines come from SimGrid.
inline constexpr const char* kPlatformStep = "platform step: ";
inline constexpr const char* kPlatformAnswer = "platform: ";

}  // namespace dasgd::experiments
