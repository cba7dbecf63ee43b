#include "experiments/base/errors.h"

#include <unistd.h>

#include <cstdio>
#include <exception>
#include <new>

#include "core/base/log.h"
#include "experiments/base/text.h"

namespace dasgd::experiments {

int refuse(const Error& error) {
    logLine(LogLevel::Error, printable(error.message));
    return kWrongInput;
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
