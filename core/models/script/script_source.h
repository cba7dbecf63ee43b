// Checks the source text of a TorchScript file before LibTorch compiles it. While it compiles, LibTorch runs default
// values of parameters, constants of classes and, where a field of a NamedTuple has a default, the type of that field.
#pragma once

#include <memory>
#include <stdexcept>

namespace torch::jit {
struct Source;
}

namespace dasgd {

// Thrown where a file is refused because of its code, as opposed to a file that LibTorch cannot read.
struct RefusedCode final : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Throws RefusedCode, which begins with file:line:column, where one of these is not written as a plain value: numbers,
// text, True, False, None, lists, tuples and dictionaries of them, devices, values of an Enum, entries of the file's
// table of constants. PyTorch writes nothing else, but for defaults that are a NamedTuple. Throws what LibTorch throws
// of a text that it cannot parse. Runs no code.
void checkSource(const std::shared_ptr<torch::jit::Source>& source);

}  // namespace dasgd
