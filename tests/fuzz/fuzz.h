// Helpers that the fuzz programs share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

// libFuzzer calls it with one input after the other, in one thread.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace dasgd::fuzz {

// Ends the program, which makes the input a finding, where what must hold for every input does not.
inline void require(bool holds, std::string_view what, std::string_view found = {}) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %.*s\n%.*s\n", static_cast<int>(what.size()), what.data(),
                 static_cast<int>(found.size()), found.data());
    std::abort();
}

inline std::string textOf(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

}  // namespace dasgd::fuzz
