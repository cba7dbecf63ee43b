// safetensors (https://github.com/huggingface/safetensors, "Format"): 8 bytes little-endian with the length of a JSON
// header, the header, then the tensors' bytes. The header gives each tensor's type, shape and position.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace dasgd {

struct StoredTensor {
    std::string name;
    std::string type;  // the header's name: F32, I64, U8, …
    std::vector<std::int64_t> shape;
    std::span<const unsigned char> bytes;  // exactly those of the shape, where the type is one that is known
};

// A tensor as the header has it: the bytes from `begin` to `end` of the file are its own.
struct TensorEntry {
    std::string name;
    std::string type;  // the header's name, as above
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0, end = 0;
};

struct SafetensorsHeader {
    std::vector<TensorEntry> tensors;             // by name
    std::map<std::string, std::string> metadata;  // the texts that the header keeps beside the tensors
};

// A file begins with the length of its header.
inline constexpr std::size_t kSafetensorsLengthBytes = 8;

// For readers that have no mapping of the file. `start`: the first kSafetensorsLengthBytes of a file of `fileBytes`,
// or all of a shorter one, which is an error. Returns the number of bytes that length and header take. Errors as those
// of readSafetensors().
[[nodiscard]] Result<std::size_t> safetensorsHeaderEnd(std::span<const unsigned char> start, std::uint64_t fileBytes,
                                                       const std::string& name);
// `start`: the first safetensorsHeaderEnd() bytes of a file of `fileBytes`; fewer are an error. Errors as those of
// readSafetensors() and readSafetensorsMetadata().
[[nodiscard]] Result<SafetensorsHeader> parseSafetensorsHeader(std::span<const unsigned char> start,
                                                               std::uint64_t fileBytes, const std::string& name);

// The tensors of `file`, whose bytes outlive them, by name. Nothing but the header is copied. Tensors of types that are
// not known, as F8_E4M3 and C64, are among them: who needs one asks torchTypeOf(). `name` is what errors call the file.
// Errors: a header beyond the file or 100 MB, not JSON, a shape whose size overflows or does not match its bytes, bytes
// outside the file or of two tensors.
[[nodiscard]] Result<std::vector<StoredTensor>> readSafetensors(std::span<const unsigned char> file,
                                                                const std::string& name);

// The texts that the header keeps beside the tensors, by name; empty where it has none. Errors: of the header; a value
// that is not a text.
[[nodiscard]] Result<std::map<std::string, std::string>> readSafetensorsMetadata(std::span<const unsigned char> file,
                                                                                 const std::string& name);

}  // namespace dasgd
