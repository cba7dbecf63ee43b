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
