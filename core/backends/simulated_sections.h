// Sections of an experiment that describe a simulated cluster, and the backends that read them.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace dasgd {

inline constexpr std::array kSimulatedSections{"network", "compute", "faults"};
// Backends with simulated time; all others refuse these sections.
[[nodiscard]] std::vector<std::string> backendsWithSimulatedTime();

}  // namespace dasgd
