// CHECK ends the process on a broken invariant: a bug of ours, never a user's mistake.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace dasgd::detail {
[[noreturn]] inline void checkFailed(const char* what, const char* file, int line) {
    std::fprintf(stderr, "%s:%d: CHECK failed: %s\n", file, line, what);
    std::abort();
}
}  // namespace dasgd::detail

#define DASGD_CHECK(condition) \
    (static_cast<bool>(condition) ? static_cast<void>(0) : ::dasgd::detail::checkFailed(#condition, __FILE__, __LINE__))
