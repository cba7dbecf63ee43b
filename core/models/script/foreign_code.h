// Models that compute with code from a file. Such code is somebody else's: before the user has said "run" it may run
// only in a process that can do no harm, which this folder cannot start. Whoever checks an experiment brings the way to
// do so.
#pragma once

#include <c10/core/ScalarType.h>

#include <functional>
#include <string>

#include "core/base/result.h"
#include "core/models/model.h"

namespace dasgd {

// A trial of the code: the model `torchscript` of this file and task, built for this input.
struct ForeignCode {
    std::string file;
    std::string task;  // as [model] names it
    InputSpec input;
    at::ScalarType type = at::kFloat;
};

// Errors: what is wrong with the file and what to do; `file` first.
using TryForeignCode = std::function<Status(const ForeignCode&)>;

// An interface of a Model beside its own.
class RunsForeignCode {
public:
    virtual ~RunsForeignCode() = default;
    // From now on build() runs no code of the file: it asks `attempt` whether the code can be trained, and the model
    // can be asked for its parameters, not for a loss.
    virtual void tryWith(TryForeignCode attempt) = 0;
};

}  // namespace dasgd
