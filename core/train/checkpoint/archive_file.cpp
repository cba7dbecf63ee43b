#include "core/train/checkpoint/archive_file.h"

#include <torch/types.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "core/checkpoint/checkpoint_folder.h"
#include "core/checkpoint/safetensors_writer.h"
#include "core/checkpoint/stored_file.h"
#include "core/datasets/stored_types.h"

namespace dasgd {

namespace {

Result<at::Tensor> readTensor(const std::filesystem::path& name, const StoredFile& file, const TensorEntry& stored) {
    const auto type = torchTypeOf(stored.type);
    if (!type) return fail(name.string() + ": tensor '" + stored.name + "': " + type.error().message);
    at::Tensor tensor = torch::empty(stored.shape, *type);
    DASGD_TRY(file.bytes().read(stored.begin,
                                {static_cast<unsigned char*>(tensor.mutable_data_ptr()), stored.end - stored.begin}));
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

Status writeArchive(const std::filesystem::path& file, const Archive& archive, const std::string& run,
                    FileDigest digest) {
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
    if (digest == FileDigest::OfContent) texts[kContentDigest] = contentDigest(tensors, texts);
    return writeSafetensors(file, std::move(tensors), texts);
}

Result<ArchiveOfRun> readArchiveOfRun(const std::filesystem::path& file, const std::vector<std::string>& prefixes) {
    const auto wanted = [&](const TensorEntry& stored) {
        return prefixes.empty() || std::ranges::any_of(prefixes, [&](const std::string& prefix) {
                   return stored.name.starts_with(prefix);
               });
    };
    DASGD_ASSIGN(const StoredFile opened, StoredFile::open(file));
    ArchiveOfRun read;
    for (const TensorEntry& stored : opened.tensors()) {
        if (!wanted(stored)) continue;
        DASGD_ASSIGN(const at::Tensor tensor, readTensor(file, opened, stored));
        read.archive.put(stored.name, tensor);
    }
    for (const auto& [name, text] : opened.metadata()) {
        if (name == kRunOfFile) read.run = text;
        if (name == kRunOfFile || name == kContentDigest) continue;
        const auto value = integerOf(text);
        if (!value) return fail(file.string() + ": '" + name + "': " + value.error().message);
        read.archive.put(name, *value);
    }
    return read;
}

Status checkRunOf(const std::filesystem::path& file, const ArchiveOfRun& read, const std::string& expected) {
    return read.run.empty() ? Status{} : checkIsOfRun(file, read.run, expected);
}

Result<Archive> readArchive(const std::filesystem::path& file, const std::vector<std::string>& prefixes) {
    DASGD_ASSIGN(ArchiveOfRun read, readArchiveOfRun(file, prefixes));
    return std::move(read.archive);
}

}  // namespace dasgd
