// Conversion between the types of a safetensors file and those of tensors.
#pragma once

#include <c10/core/ScalarType.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.h"
#include "core/base/text/printable.h"

namespace dasgd {

inline constexpr std::array<std::pair<std::string_view, at::ScalarType>, 10> kStoredTypes{{{"BOOL", at::kBool},
                                                                                           {"U8", at::kByte},
                                                                                           {"I8", at::kChar},
                                                                                           {"I16", at::kShort},
                                                                                           {"I32", at::kInt},
                                                                                           {"I64", at::kLong},
                                                                                           {"F16", at::kHalf},
                                                                                           {"BF16", at::kBFloat16},
                                                                                           {"F32", at::kFloat},
                                                                                           {"F64", at::kDouble}}};

// Errors: a type that LibTorch does not have.
[[nodiscard]] inline Result<at::ScalarType> torchTypeOf(const std::string& stored) {
    for (const auto& [name, type] : kStoredTypes) {
        if (name == stored) return type;
    }
    return fail("its type " + excerpt(stored) + " is none of BOOL, U8, I8, I16, I32, I64, F16, BF16, F32 and F64");
}

// Errors: a type that the format does not have.
[[nodiscard]] inline Result<std::string> storedTypeOf(at::ScalarType type) {
    for (const auto& [name, known] : kStoredTypes) {
        if (known == type) return std::string(name);
    }
    return fail(std::string("safetensors has no type for ") + c10::toString(type));
}

}  // namespace dasgd
