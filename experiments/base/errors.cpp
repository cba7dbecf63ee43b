#include "experiments/base/errors.h"

#include <unistd.h>

#include <cstdio>
#include <exception>
#include <new>

#include "experiments/base/text.h"

namespace dasgd::experiments {

int refuse(const Error& error) {
    std::fprintf(stderr, "dasgd: %s\n", printable(error.message).c_str());
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
    std::fprintf(stderr, "dasgd: unexpected: %s\n", printable(presentException()).c_str());
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
