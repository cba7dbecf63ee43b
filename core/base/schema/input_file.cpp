#include "core/base/schema/input_file.h"

#include <string>
#include <system_error>

namespace dasgd {

std::filesystem::path folderOfNames(const Value& document, const Value* named) {
    const auto& source = document.position().source;
    const auto& own = named && named->position().source ? named->position().source : source;
    if (!own) return {};
    const bool byHand = own->starts_with("--");
    return std::filesystem::path(byHand && source ? *source : *own).parent_path();
}

bool isInputFile(const std::filesystem::path& file) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(file, ignored)) return true;
    const std::string name = file.lexically_normal().string();
    return name == "/dev/stdin" || name.starts_with("/dev/fd/") || name.starts_with("/proc/self/fd/");
}

}  // namespace dasgd
