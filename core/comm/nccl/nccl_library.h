// Loads the NCCL library of this machine.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/comm/nccl/nccl_api.h"

namespace dasgd {

inline constexpr const char* kNcclLibrary = "libnccl.so.2";

// Errors: the library is not there, or lacks a function.
[[nodiscard]] Result<NcclApi> loadNccl(const std::string& library = kNcclLibrary);

// Checks NCCL's version. Errors: too old to be created without blocking and with a number of channels (2.18), or to
// have several ranks on one device (2.30), where `ranksPerDevice` is more than one.
[[nodiscard]] Status checkNccl(const NcclApi& api, int ranksPerDevice);

// Text of NCCL's version number: "2.28.9".
[[nodiscard]] std::string ncclVersionText(int version);

}  // namespace dasgd
