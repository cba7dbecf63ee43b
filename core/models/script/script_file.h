// A TorchScript file of the user. Its code is looked at before any of it runs: LibTorch itself would run default values
// and constants of classes while it compiles (script_source.h), and the __setstate__ of a class while it loads.
#pragma once

#include <torch/csrc/jit/api/module.h>

#include <exception>
#include <memory>
#include <string>

#include "core/base/result.h"

namespace caffe2::serialize {
class ReadAdapterInterface;
}

namespace dasgd {

// The line of a TorchScript error that tells what went wrong; those around it are a traceback.
[[nodiscard]] std::string reasonOf(const std::exception& error);

class ScriptFile {
public:
    // Compiles the code of the file. Of its operators LibTorch runs only those that it can fold: of plain numbers and
    // text, without an effect. Errors, which begin with `path`: no file, no TorchScript, an operator that
    // isAllowedOperator() does not know, values computed while the file is read, classes that restore themselves by
    // code or are written in C++, tensors of which the file holds too few bytes.
    [[nodiscard]] static Result<ScriptFile> open(const std::string& path);
    // Returns a new module each time, on the CPU. Runs no more of the file's code than open().
    [[nodiscard]] Result<torch::jit::Module> load() const;

private:
    using Bytes = std::shared_ptr<caffe2::serialize::ReadAdapterInterface>;
    ScriptFile(std::string path, Bytes bytes) : path_(std::move(path)), bytes_(std::move(bytes)) {}

    std::string path_;
    Bytes bytes_;  // contents of the file that was opened; its name may mean another file later
};

}  // namespace dasgd
