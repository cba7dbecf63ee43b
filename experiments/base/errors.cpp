#include "experiments/base/errors.h"

#include <cstdio>

#include "experiments/base/text.h"

namespace dasgd::experiments {

int refuse(const Error& error) {
    std::fprintf(stderr, "dasgd: %s\n", printable(error.message).c_str());
    return kWrongInput;
}

}  // namespace dasgd::experiments
