#include "core/base/input_file.h"

#include <string>
#include <system_error>

namespace dasgd {

bool isInputFile(const std::filesystem::path& file) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(file, ignored)) return true;
    const std::string name = file.lexically_normal().string();
    return name == "/dev/stdin" || name.starts_with("/dev/fd/") || name.starts_with("/proc/self/fd/");
}

}  // namespace dasgd
