#include "core/step/archive.h"

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <sstream>

namespace dasgd {

namespace {

std::string shapeAndType(const at::Tensor& tensor) {
    std::ostringstream text;
    text << tensor.sizes() << " of " << tensor.dtype().name();
    return text.str();
}

}  // namespace

void Archive::put(const std::string& name, const std::vector<at::Tensor>& tensors) {
    for (std::size_t i = 0; i < tensors.size(); ++i) put(name + "/" + std::to_string(i), tensors[i]);
}

Status Archive::read(const std::string& name, const std::vector<at::Tensor>& out) const {
    for (std::size_t i = 0; i < out.size(); ++i) {
        at::Tensor tensor = out[i];
        DASGD_TRY(read(name + "/" + std::to_string(i), tensor));
    }
    return {};
}

// Tensors are shared between archives: nobody changes those of an archive.
void Archive::putUnder(const std::string& prefix, const Archive& other) {
    for (const auto& [name, tensor] : other.tensors_) tensors_[prefix + name] = tensor;
    for (const auto& [name, value] : other.integers_) integers_[prefix + name] = value;
}

void Archive::moveToHost() {
    for (auto& [name, tensor] : tensors_) tensor = tensor.cpu();
}

Archive Archive::under(const std::string& prefix) const {
    Archive part;
    for (const auto& [name, tensor] : tensors_) {
        if (name.starts_with(prefix)) part.tensors_[name.substr(prefix.size())] = tensor;
    }
    for (const auto& [name, value] : integers_) {
        if (name.starts_with(prefix)) part.integers_[name.substr(prefix.size())] = value;
    }
    return part;
}

Status Archive::read(const std::string& name, at::Tensor& out) const {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) return fail("the saved state has no tensor '" + name + "'");
    const at::Tensor& saved = found->second;
    if (saved.sizes() != out.sizes() || saved.dtype() != out.dtype()) {
        return fail("the saved state's '" + name + "' is " + shapeAndType(saved) + ", expected " + shapeAndType(out) +
                    "; was it saved with another model or precision?");
    }
    const at::NoGradGuard guard;
    out.copy_(saved);
    return {};
}

Result<std::int64_t> Archive::integer(const std::string& name) const {
    const auto found = integers_.find(name);
    if (found == integers_.end()) return fail("the saved state has no integer '" + name + "'");
    return found->second;
}

}  // namespace dasgd
