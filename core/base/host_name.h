// Name of this host as its kernel has it; "" where that cannot be told.
#pragma once

#include <unistd.h>

#include <array>
#include <string>

namespace dasgd {

[[nodiscard]] inline std::string hostName() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace dasgd
