#include "experiments/base/errors.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

#include "core/base/log.h"
#include "experiments/base/text.h"

namespace dasgd::experiments {

int refuse(const Error& error) {
    logLine(LogLevel::Error, printable(error.message));
    return kWrongInput;
}

int statusOfOutput(int status) {
    errno = 0;
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
    const std::string why = errno == 0 ? "" : ": " + std::generic_category().message(errno);
    logLine(LogLevel::Error, "what was to be printed could not be written" + why);
    return status == kFinished ? static_cast<int>(kRunFailed) : status;
}

std::string presentException() {
    if (!std::current_exception()) return "ended without an exception";
    try {
        throw;
    } catch (const std::bad_alloc&) {
        return "not enough memory";
    } catch (const std::exception& error) {
        const std::string text = error.what();
        return text.substr(0, text.find('\n'));
    } catch (...) {
        return "an exception of unknown type";
    }
}

int failUnexpectedly() {
    logLine(LogLevel::Error, "unexpected: " + printable(presentException()));
    return kRunFailed;
}

void endOnUncaughtExceptions() {
    std::set_terminate([] {
        const int status = failUnexpectedly();
        std::fflush(stdout);
        ::_exit(status);
    });
}

}  // namespace dasgd::experiments
