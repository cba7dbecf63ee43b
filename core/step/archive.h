// State of one rank between two steps as named tensors and integers: an algorithm's part of a checkpoint.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace dasgd {

// Owns copies. Names are unique within tensors and within integers; putting a name again replaces its value.
class Archive {
public:
    void put(const std::string& name, const at::Tensor& tensor) { tensors_[name] = tensor.detach().clone(); }
    void put(const std::string& name, std::int64_t value) { integers_[name] = value; }
    // Puts them as `name`/0, `name`/1, …
    void put(const std::string& name, const std::vector<at::Tensor>& tensors);

    // Adds everything that `other` holds, with `prefix` before each name.
    void putUnder(const std::string& prefix, const Archive& other);
    // The entries whose names begin with `prefix`, under the rest of their names.
    [[nodiscard]] Archive under(const std::string& prefix) const;
    // Copies tensors of a device to the host, which waits for them.
    void moveToHost();
    [[nodiscard]] bool has(const std::string& tensor) const { return tensors_.contains(tensor); }

    // Copies into `out`, which has the tensor's shape and type. Errors: no tensor of that name; a tensor of another
    // shape or type, as from another model or precision.
    [[nodiscard]] Status read(const std::string& name, at::Tensor& out) const;
    // Reads into each of `out` what put() stored for it.
    [[nodiscard]] Status read(const std::string& name, const std::vector<at::Tensor>& out) const;
    // Errors: no integer of that name.
    [[nodiscard]] Result<std::int64_t> integer(const std::string& name) const;

    [[nodiscard]] const std::map<std::string, at::Tensor>& tensors() const { return tensors_; }
    [[nodiscard]] const std::map<std::string, std::int64_t>& integers() const { return integers_; }

private:
    std::map<std::string, at::Tensor> tensors_;
    std::map<std::string, std::int64_t> integers_;
};

}  // namespace dasgd
