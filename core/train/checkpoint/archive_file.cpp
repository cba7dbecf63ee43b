#include "core/train/checkpoint/archive_file.h"

#include <torch/types.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "core/checkpoint/safetensors_writer.h"
#include "core/datasets/formats/file_mapping.h"
#include "core/datasets/formats/safetensors_file.h"
#include "core/datasets/stored_types.h"

namespace dasgd {

namespace {

Result<at::Tensor> copyOf(const StoredTensor& stored) {
    DASGD_ASSIGN(const at::ScalarType type, torchTypeOf(stored.type));
    at::Tensor tensor = torch::empty(stored.shape, type);
    std::ranges::copy(stored.bytes, static_cast<unsigned char*>(tensor.mutable_data_ptr()));
    return tensor;
}

Result<std::int64_t> integerOf(const std::string& text) {
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    if (read.ec != std::errc() || read.ptr != end) return fail("'" + text + "' is no integer");
    return value;
}

}  // namespace

Status writeArchive(const std::filesystem::path& file, const Archive& archive, const std::string& run) {
    std::deque<at::Tensor> held;  // owns the bytes until they are written
    std::vector<StoredTensor> tensors;
    for (const auto& [name, tensor] : archive.tensors()) {
        auto type = storedTypeOf(tensor.scalar_type());
        if (!type) return fail(file.string() + ": tensor '" + name + "': " + type.error().message);
        const at::Tensor& host = held.emplace_back(tensor.cpu().contiguous());
        tensors.push_back({.name = name,
                           .type = std::move(*type),
                           .shape = host.sizes().vec(),
                           .bytes = {static_cast<const unsigned char*>(host.const_data_ptr()), host.nbytes()}});
    }
    std::map<std::string, std::string> texts;
    for (const auto& [name, value] : archive.integers()) texts[name] = std::to_string(value);
    if (!run.empty()) texts[kRunOfFile] = run;
    return writeSafetensors(file, std::move(tensors), texts);
}

Result<Archive> readArchive(const std::filesystem::path& file, const std::vector<std::string>& prefixes) {
    const auto wanted = [&](const StoredTensor& stored) {
        return prefixes.empty() || std::ranges::any_of(prefixes, [&](const std::string& prefix) {
                   return stored.name.starts_with(prefix);
               });
    };
    DASGD_ASSIGN(const auto mapping, FileMapping::open(file));
    DASGD_ASSIGN(const auto tensors, readSafetensors(mapping->bytes(), file.string()));
    DASGD_ASSIGN(const auto texts, readSafetensorsMetadata(mapping->bytes(), file.string()));
    Archive archive;
    for (const StoredTensor& stored : tensors) {
        if (!wanted(stored)) continue;
        auto tensor = copyOf(stored);
        if (!tensor) return fail(file.string() + ": tensor '" + stored.name + "': " + tensor.error().message);
        archive.put(stored.name, *tensor);
    }
    for (const auto& [name, text] : texts) {
        if (name == kRunOfFile) continue;
        const auto value = integerOf(text);
        if (!value) return fail(file.string() + ": '" + name + "': " + value.error().message);
        archive.put(name, *value);
    }
    return archive;
}

}  // namespace dasgd
