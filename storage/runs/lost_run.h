// The end of a run whose owner died.
#pragma once

#include <string>

namespace dasgd::storage {

struct LostRun {
    std::string status, error;
};

}  // namespace dasgd::storage
