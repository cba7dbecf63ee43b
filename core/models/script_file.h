// A TorchScript file of the user. Its code is looked at before any of it runs: LibTorch itself would run the
// __setstate__ of a class while it loads.
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
    // Compiles the code of the file without running it. Errors, which begin with `path`: no file, no TorchScript, an
    // operator that isAllowedOperator() does not know, classes that restore themselves by code or are written in C++.
    [[nodiscard]] static Result<ScriptFile> open(const std::string& path);
    // Returns a new module each time, on the CPU. Runs no code of the file.
    [[nodiscard]] Result<torch::jit::Module> load() const;

private:
    using Bytes = std::shared_ptr<caffe2::serialize::ReadAdapterInterface>;
    ScriptFile(std::string path, Bytes bytes) : path_(std::move(path)), bytes_(std::move(bytes)) {}

    std::string path_;
    Bytes bytes_;  // contents of the file that was opened; its name may mean another file later
};

}  // namespace dasgd
