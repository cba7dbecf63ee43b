// A library to be preloaded: the calls of failing_calls.h in the place of those of the C library.
#include "tests/faults/support/failing_calls.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define DASGD_TEST_CALL extern "C" __attribute__((visibility("default")))

namespace {

using dasgd::test::CallFaults;

constexpr std::int64_t kNsPerS = 1'000'000'000;

CallFaults* mapPage() {
    static CallFaults none{};
    const char* const path = std::getenv(CallFaults::kVariable);
    const int file = path ? ::open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return &none;
    void* const memory = ::mmap(nullptr, sizeof(CallFaults), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    return memory == MAP_FAILED ? &none : static_cast<CallFaults*>(memory);
}

CallFaults& page() {
    static CallFaults* const mapped = mapPage();
    return *mapped;
}

std::int64_t ownSkewNs() {
    static const char* const text = std::getenv(CallFaults::kSkewVariable);
    static const std::int64_t skew = text ? std::atoll(text) * kNsPerS : 0;
    return skew;
}

bool isMeant(int descriptor) {
    char link[64], path[4096];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const ssize_t length = ::readlink(link, path, sizeof path - 1);
    if (length <= 0) return false;
    path[length] = '\0';
    const char* const wanted = page().path;
    const std::size_t part = std::strlen(wanted);
    if (part == 0 || wanted[part - 1] != '$') return std::strstr(path, wanted) != nullptr;
    const auto whole = static_cast<std::size_t>(length);
    return whole >= part - 1 && std::strncmp(path + whole - (part - 1), wanted, part - 1) == 0;
}

// True where this call has to suffer `kind`; counts it.
bool strikes(CallFaults::Kind kind, int descriptor) {
    CallFaults& faults = page();
    if (faults.kind != kind || faults.left <= 0 || !isMeant(descriptor)) return false;
    if (faults.left.fetch_sub(1) <= 0) return false;
    ++faults.injected;
    return true;
}

int failWith(int error) {
    errno = error;
    return -1;
}

ssize_t written(long result) { return static_cast<ssize_t>(result); }

// Number of bytes that are written where the call falls short.
std::size_t shareOf(int descriptor, std::size_t bytes) {
    return bytes > 1 && strikes(CallFaults::ShortWrite, descriptor) ? bytes / 2 : bytes;
}

int syncOf(long number, int descriptor) {
    if (strikes(CallFaults::SyncError, descriptor)) return failWith(EIO);
    return static_cast<int>(::syscall(number, descriptor));
}

int typed(int result, struct statfs* found) {
    const std::int64_t type = page().fileSystemType;
    if (result != 0 || type == 0) return result;
    found->f_type = static_cast<decltype(found->f_type)>(type);
    ++page().typesTold;
    return 0;
}

}  // namespace

DASGD_TEST_CALL ssize_t write(int descriptor, const void* bytes, size_t count) {
    if (strikes(CallFaults::WriteError, descriptor)) return failWith(EIO);
    return written(::syscall(SYS_write, descriptor, bytes, shareOf(descriptor, count)));
}

DASGD_TEST_CALL ssize_t pwrite64(int descriptor, const void* bytes, size_t count, off64_t offset) {
    if (strikes(CallFaults::WriteError, descriptor)) return failWith(EIO);
    return written(::syscall(SYS_pwrite64, descriptor, bytes, shareOf(descriptor, count), offset));
}

DASGD_TEST_CALL ssize_t pwrite(int descriptor, const void* bytes, size_t count, off_t offset) {
    return pwrite64(descriptor, bytes, count, offset);
}

DASGD_TEST_CALL int fsync(int descriptor) { return syncOf(SYS_fsync, descriptor); }
DASGD_TEST_CALL int fdatasync(int descriptor) { return syncOf(SYS_fdatasync, descriptor); }

DASGD_TEST_CALL int statfs(const char* path, struct statfs* found) noexcept {
    return typed(static_cast<int>(::syscall(SYS_statfs, path, found)), found);
}

DASGD_TEST_CALL int fstatfs(int descriptor, struct statfs* found) noexcept {
    return typed(static_cast<int>(::syscall(SYS_fstatfs, descriptor, found)), found);
}

DASGD_TEST_CALL int clock_gettime(clockid_t clock, timespec* now) noexcept {
    const int result = static_cast<int>(::syscall(SYS_clock_gettime, clock, now));
    if (result != 0 || clock != CLOCK_REALTIME) return result;
    const std::int64_t step = page().calendarStepNs + ownSkewNs();
    if (step == 0) return 0;
    const std::int64_t moved = now->tv_sec * kNsPerS + now->tv_nsec + step;
    now->tv_sec = moved / kNsPerS;
    now->tv_nsec = moved % kNsPerS;
    ++page().calendarsTold;
    return 0;
}
