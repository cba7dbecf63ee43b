// A file of tensors; and the same bytes as the state.json of a checkpoint.
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/checkpoint/checkpoint_folder.h"
#include "core/datasets/formats/safetensors_file.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/temp_dir.h"

namespace {

using namespace dasgd;
using dasgd::fuzz::require;
using Bytes = std::span<const unsigned char>;

// Size of an element; 0 of a type that is not known.
std::uint64_t bytesOf(const std::string& type) {
    static const std::map<std::string, std::uint64_t> kSizes{
        {"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"I16", 2}, {"U16", 2}, {"F16", 2}, {"BF16", 2},
        {"I32", 4},  {"U32", 4}, {"F32", 4}, {"I64", 8}, {"U64", 8}, {"F64", 8}};
    const auto known = kSizes.find(type);
    return known == kSizes.end() ? 0 : known->second;
}

void tensor(Bytes file, const StoredTensor& tensor) {
    __uint128_t size = bytesOf(tensor.type);
    bool empty = false;
    for (const std::int64_t extent : tensor.shape) {
        require(extent >= 0, "no extent is negative", tensor.name);
        empty = empty || extent == 0;
        // A tensor with one extent of 0 has no elements, so the others may be any.
        size = empty ? 0 : size * static_cast<std::uint64_t>(extent);
        require(size <= file.size() || !empty, "a tensor is no larger than its file", tensor.name);
    }
    const bool known = bytesOf(tensor.type) > 0;
    require(!known || tensor.bytes.size() == size, "a tensor has the bytes of its shape", tensor.name);
    require(
        tensor.bytes.data() >= file.data() && tensor.bytes.data() + tensor.bytes.size() <= file.data() + file.size(),
        "a tensor lies in its file", tensor.name);
    // Each is read, for the address sanitizer.
    const volatile unsigned char* byte = tensor.bytes.data();
    for (std::size_t i = 0; i < tensor.bytes.size(); ++i) static_cast<void>(byte[i]);
}

void tensors(Bytes file) {
    if (auto read = readSafetensors(file, "a.safetensors")) {
        std::size_t size = 0;
        for (const StoredTensor& one : *read) {
            tensor(file, one);
            size += one.bytes.size();
        }
        require(size <= file.size(), "no byte is of two tensors");
    } else {
        require(read.error().message.starts_with("a.safetensors: "), "an error says where", read.error().message);
    }
    // A copy that ends with the header, for the address sanitizer.
    if (const auto end = safetensorsHeaderEnd(file, file.size(), "a.safetensors")) {
        const std::vector<unsigned char> header(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(*end));
        const auto parsed = parseSafetensorsHeader(header, file.size(), "a.safetensors");
        const auto whole = readSafetensors(file, "a.safetensors");
        require(!parsed || (whole && whole->size() == parsed->tensors.size()), "the header alone says the same");
    }
    if (const auto metadata = readSafetensorsMetadata(file, "a.safetensors"); !metadata) {
        require(metadata.error().message.starts_with("a.safetensors: "), "an error says where");
    }
}

void state(const std::string& text) {
    static const test::TempDir folder;
    static const std::filesystem::path step = [] {
        std::filesystem::create_directories(folder / "step-400");
        folder.write("step-400/" + CheckpointFolder::rankFileName(Rank(0)), "8 bytes.");
        folder.write("step-400/model.safetensors", "16 bytes of that");
        return folder / "step-400";
    }();
    folder.write("step-400/state.json", text);
    const CheckpointFolder checkpoints(folder.path());
    const auto at = checkpoints.at(400);
    const auto latest = checkpoints.latest();
    require(at.has_value() || !latest.has_value(), "what is damaged is not the newest");
    if (!at) return require(!at.error().message.empty(), "an error says what is wrong");
    require(at->state.step == 400, "a checkpoint is of its step");
    require(latest.has_value() || at->state.hasDigests(), "without digests sizes decide");
    require(at->state.ranks == 1, "each rank has its file, and there is one", std::to_string(at->state.ranks));
    for (const auto& [name, file] : at->state.files) {
        require(std::filesystem::file_size(step / name) == static_cast<std::uintmax_t>(file.bytes), "files are whole",
                name);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    tensors({data, size});
    state(fuzz::textOf(data, size));
    return 0;
}
