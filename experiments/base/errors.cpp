#include "experiments/base/errors.h"

#include "core/base/log.h"
#include "experiments/base/text.h"

namespace dasgd::experiments {

int refuse(const Error& error) {
    logLine(LogLevel::Error, printable(error.message));
    return kWrongInput;
}

}  // namespace dasgd::experiments
