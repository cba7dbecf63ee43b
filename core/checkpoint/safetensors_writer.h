// Writer of safetensors files (https://github.com/huggingface/safetensors, "Format"); core/datasets/formats reads them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/datasets/formats/safetensors_file.h"

namespace dasgd {

// Writes `tensors` by unique names, their bytes dense and in row-major order, as `file`, durably (durable_file.h).
// Tensors lie without gaps, the types with the largest elements first, so that each is aligned to its element. Errors:
// of the disk.
[[nodiscard]] Status writeSafetensors(const std::filesystem::path& file, std::vector<StoredTensor> tensors,
                                      const std::map<std::string, std::string>& metadata);

}  // namespace dasgd
