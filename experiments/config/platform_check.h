// Whether SimGrid can make the network of a platform file: asked in a process of its own, since SimGrid may end the one
// that it is in.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"

namespace dasgd::experiments {

struct PlatformQuestion {
    std::filesystem::path file;
    std::string hosts;  // as the experiment names them
    int workers = 0;
};

inline constexpr Ns kPlatformPatience = 60'000'000'000;

// Runs `program`, a `dasgd`, with the hidden command check-platform, and kills it when `patience` is over. Errors: what
// is wrong with the platform and what to do; `file` first.
[[nodiscard]] Status askAboutPlatform(const PlatformQuestion& question, const std::string& program,
                                      Ns patience = kPlatformPatience);

// How that process answers: a line that begins so; "ok" or what is wrong follows.
inline constexpr const char* kPlatformAnswer = "platform: ";

}  // namespace dasgd::experiments
