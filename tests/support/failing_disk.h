// Errors of the disk at the moments that a test chooses. This header defines fsync(), fdatasync(), rename() and pread()
// for the whole program, calls of the C++ library included: one source of a test program may include it.
#pragma once

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <functional>
#include <string>

namespace dasgd::test {

// Faults of the disk while it lives: what the functions choose fails with EIO; `injected` proves that it happened.
struct DiskFaults {
    std::function<bool(const std::filesystem::path& file)> ofSync;
    std::function<bool(const std::filesystem::path& from)> ofRename;
    std::function<bool(const std::filesystem::path& file)> ofRead;  // by pread()
    int injected = 0;

    DiskFaults() { present() = this; }
    ~DiskFaults() { present() = nullptr; }
    DiskFaults(const DiskFaults&) = delete;
    DiskFaults& operator=(const DiskFaults&) = delete;

    static DiskFaults*& present() {
        static DiskFaults* faults = nullptr;
        return faults;
    }
    // True where the call has to fail; counts it.
    static bool strikes(std::function<bool(const std::filesystem::path&)> DiskFaults::*kind,
                        const std::filesystem::path& file) {
        DiskFaults* const faults = present();
        if (!faults || !(faults->*kind) || !(faults->*kind)(file)) return false;
        ++faults->injected;
        errno = EIO;
        return true;
    }
};

}  // namespace dasgd::test

namespace dasgd::test {
inline std::filesystem::path fileOf(int descriptor) {
    std::error_code ignored;
    return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor), ignored);
}
}  // namespace dasgd::test

extern "C" ssize_t pread(int descriptor, void* into, std::size_t bytes, off_t at) {
    using dasgd::test::DiskFaults;
    if (DiskFaults::present() && DiskFaults::strikes(&DiskFaults::ofRead, dasgd::test::fileOf(descriptor))) return -1;
    // Through that of the address sanitizer, where there is one: it looks at the buffer.
    static const auto next = reinterpret_cast<decltype(&pread)>(::dlsym(RTLD_NEXT, "pread"));
    return next(descriptor, into, bytes, at);
}

extern "C" int fsync(int descriptor) {
    using dasgd::test::DiskFaults;
    if (DiskFaults::strikes(&DiskFaults::ofSync, dasgd::test::fileOf(descriptor))) return -1;
    return static_cast<int>(::syscall(SYS_fsync, descriptor));
}
extern "C" int fdatasync(int descriptor) { return fsync(descriptor); }

extern "C" int rename(const char* from, const char* to) noexcept {
    if (dasgd::test::DiskFaults::strikes(&dasgd::test::DiskFaults::ofRename, from)) return -1;
    return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
