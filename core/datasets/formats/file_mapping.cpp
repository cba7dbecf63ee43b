#include "core/datasets/formats/file_mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace dasgd {

Result<std::shared_ptr<const FileMapping>> FileMapping::open(const std::filesystem::path& file) {
    const auto unreadable = [&] {
        const int cause = errno;
        if (cause == ENOENT) return fail(file.string() + ": there is no such file");
        return fail(file.string() + ": it cannot be read (" + std::strerror(cause) + "). Check its permissions");
    };
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return unreadable();
    const std::unique_ptr<const int, void (*)(const int*)> closer(&descriptor, [](const int* d) { ::close(*d); });
    struct ::stat status {};
    if (::fstat(descriptor, &status) != 0) return unreadable();
    if (!S_ISREG(status.st_mode)) return fail(file.string() + ": this is not a regular file");
    if (status.st_size == 0) return fail(file.string() + ": it is empty. Copy or download it again");
    const auto size = static_cast<std::size_t>(status.st_size);
    void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
    if (mapped == MAP_FAILED) return unreadable();
    return std::shared_ptr<const FileMapping>(new FileMapping(static_cast<const unsigned char*>(mapped), size));
}

FileMapping::~FileMapping() { ::munmap(const_cast<unsigned char*>(bytes_), size_); }

}  // namespace dasgd
