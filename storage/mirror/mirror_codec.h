// Parts and what is known of runs as bytes. Layout: storage/format.md, "Between two workspaces".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "storage/mirror/mirror_part.h"

namespace dasgd::storage {

[[nodiscard]] std::string encode(const MirrorPart& part);
// Errors: the bytes are cut off or go on after the part, an id does not grow, a name, a run id or the path of a file is
// none. Takes no more memory than a few times the bytes.
[[nodiscard]] Result<MirrorPart> decodePart(std::string_view bytes);

[[nodiscard]] std::string encode(const std::vector<KnownRun>& runs);
[[nodiscard]] Result<std::vector<KnownRun>> decodeKnown(std::string_view bytes);

// Equal for equal documents, never 0.
[[nodiscard]] std::uint64_t digestOf(const RunDocument& document);

// True for a file of a run that may be sent to another workspace: experiment.toml, and plain names in logs.
[[nodiscard]] bool isMirroredFile(std::string_view path);

}  // namespace dasgd::storage
