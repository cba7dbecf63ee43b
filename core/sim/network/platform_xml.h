// The text of a platform file of SimGrid, checked and rewritten.
//
// Such a file may do more than describe a network: <config> sets any option of SimGrid, and some of them write files;
// other elements start actors or read files. So SimGrid never gets the user's bytes. It gets a text that is written
// from those elements and attributes that platform_elements.cpp lists, each value checked. What changes no network is
// read over, as disks are; what does and is not simulated here is refused.
#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"

namespace dasgd {

// Hosts that one file may have, clusters and cabinets counted.
inline constexpr std::int64_t kMostPlatformHosts = 65'536;

// The platform that `content` describes, as SimGrid is to read it: each element is in the line that it has in
// `content`, so that the lines of SimGrid's own errors hold for both. Properties (<prop>) are for SimGrid's plug-ins,
// of which none is in use, and are left out, as are disks and speeds of hosts that change in time. Errors:
// "file:line:column: …", with the element and what is allowed. Pure; any thread.
[[nodiscard]] Result<std::string> checkedPlatformXml(const std::filesystem::path& file, const std::string& content);

}  // namespace dasgd
