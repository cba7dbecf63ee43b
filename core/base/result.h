// Errors that a user or a machine can cause travel as values; broken invariants fail CHECK.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace dasgd {

// A message for the person at the keyboard: where it went wrong, what was found, what to do.
// Errors in files begin with "file:line:column: ".
struct Error {
    std::string message;
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

[[nodiscard]] inline tl::unexpected<Error> fail(std::string message) {
    return tl::unexpected<Error>(Error{std::move(message)});
}

}  // namespace dasgd

// Hands an error up; leaves the value in `var`. Both take an expression of type Result<...>.
#define DASGD_CONCAT_(a, b) a##b
#define DASGD_CONCAT(a, b) DASGD_CONCAT_(a, b)
#define DASGD_TRY(expression)                                                \
    do {                                                                     \
        if (auto tried = (expression); !tried) {                             \
            return tl::unexpected<::dasgd::Error>(std::move(tried).error()); \
        }                                                                    \
    } while (false)
#define DASGD_ASSIGN(var, expression)                                                              \
    auto DASGD_CONCAT(result_, __LINE__) = (expression);                                           \
    if (!DASGD_CONCAT(result_, __LINE__)) {                                                        \
        return tl::unexpected<::dasgd::Error>(std::move(DASGD_CONCAT(result_, __LINE__)).error()); \
    }                                                                                              \
    var = std::move(*DASGD_CONCAT(result_, __LINE__))
