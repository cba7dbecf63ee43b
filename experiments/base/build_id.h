// Identifies the build of the program that this process runs.
#pragma once

#include <string>

namespace dasgd::experiments {

// The linker's build id of the running executable in hexadecimal: equal for copies of one file, different for any other
// build. "" where the executable has none.
[[nodiscard]] std::string buildId();

}  // namespace dasgd::experiments
