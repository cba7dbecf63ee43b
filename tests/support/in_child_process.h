// Computes numbers in a forked process: SimGrid allows one engine a process, and a test that compares runs of the
// virtual cluster needs an engine for each.
#pragma once

#include <unistd.h>

#include <functional>
#include <vector>

#include "core/base/check.h"
#include "tests/support/processes.h"

namespace dasgd::test {

// Calls `work` in a forked child and returns its numbers. EXPECT_* belong outside: a failure inside `work` stays in the
// child and is not reported.
inline std::vector<double> inChildProcess(const std::function<std::vector<double>()>& work) {
    int ends[2];
    DASGD_CHECK(::pipe(ends) == 0);
    ChildProcess child([&] {
        const std::vector<double> numbers = work();
        const auto bytes = static_cast<ssize_t>(numbers.size() * sizeof(double));
        return ::write(ends[1], numbers.data(), static_cast<std::size_t>(bytes)) == bytes ? 0 : 1;
    });
    ::close(ends[1]);
    std::vector<double> numbers;
    double number = 0;
    while (::read(ends[0], &number, sizeof number) == sizeof number) numbers.push_back(number);
    ::close(ends[0]);
    DASGD_CHECK(child.wait() == 0);
    return numbers;
}

}  // namespace dasgd::test
