// Checks that the code of a model file can be trained. A process of its own tries it, because the file is a foreign
// program.
#pragma once

#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/models/script/foreign_code.h"

namespace dasgd::experiments {

// The time that the trial of a file of `bytes` may take.
[[nodiscard]] Ns modelPatience(std::uint64_t bytes);

// Runs `program`, a `dasgd`, with the hidden command check-model, which may write nothing (sandbox.h), and kills it
// when `patience` is over; 0: that of the file's size. Errors: what is wrong with the file and what to do; the file
// first.
[[nodiscard]] Status askAboutModel(const ForeignCode& code, const std::string& program, Ns patience = 0);

// The options of check-model for `code`, and back.
[[nodiscard]] std::vector<std::string> argumentsOf(const ForeignCode& code);
[[nodiscard]] Result<InputSpec> inputOf(const std::string& shape, std::int64_t classes, const std::string& task);
[[nodiscard]] Result<at::ScalarType> scalarTypeOf(const std::string& name);

}  // namespace dasgd::experiments
