#include "experiments/base/sandbox.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <vector>

namespace dasgd::experiments {

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0;
#endif

// Answered with EPERM. A call that reads cannot harm; these change files, reach others, or go round the filter.
constexpr std::uint32_t kForbidden[] = {
#ifdef SYS_creat
    SYS_creat,
    SYS_mkdir,
    SYS_rmdir,
    SYS_unlink,
    SYS_rename,
    SYS_link,
    SYS_symlink,
    SYS_mknod,
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_utime,
    SYS_utimes,
    SYS_futimesat,
#endif
#ifdef SYS_renameat
    SYS_renameat,
#endif
    SYS_openat2,
    SYS_open_by_handle_at,
    SYS_io_uring_setup,
    SYS_truncate,
    SYS_mkdirat,
    SYS_unlinkat,
    SYS_renameat2,
    SYS_linkat,
    SYS_symlinkat,
    SYS_mknodat,
    SYS_fchmod,
    SYS_fchmodat,
    SYS_fchown,
    SYS_fchownat,
    SYS_utimensat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
    SYS_mount,
    SYS_umount2,
    SYS_chroot,
    SYS_pivot_root,
    SYS_execve,
    SYS_execveat,
    SYS_socket,
    SYS_connect,
    SYS_bind,
    SYS_kill,
    SYS_tkill,
    SYS_rt_sigqueueinfo,
    SYS_pidfd_open,
    SYS_pidfd_send_signal,
    SYS_pidfd_getfd,
    SYS_ptrace,
    SYS_process_vm_writev,
    SYS_shmget,
    SYS_msgget,
    SYS_mq_open,
    SYS_bpf,
    SYS_keyctl,
    SYS_add_key,
    SYS_unshare,
    SYS_setns,
    452,  // fchmodat2, Linux 6.6
    463,  // setxattrat, Linux 6.13
    466,  // removexattrat
};

constexpr std::uint32_t kEveryFileRightToWrite = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                                                 LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                                                 LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                                                 LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                                                 LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
constexpr std::uint64_t kTruncate = std::uint64_t{1} << 14;  // LANDLOCK_ACCESS_FS_TRUNCATE, Linux 6.2

bool giveUpPrivileges() { return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0; }

constexpr std::uint32_t kNumberAt = offsetof(seccomp_data, nr);
constexpr std::uint32_t kArchitectureAt = offsetof(seccomp_data, arch);

sock_filter load(std::uint32_t offset) { return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset); }
sock_filter give(std::uint32_t answer) { return BPF_STMT(BPF_RET | BPF_K, answer); }
// Skips `steps` where the loaded word is not `value`.
sock_filter unlessEqual(std::uint32_t value, std::uint8_t steps) {
    return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, steps);
}

constexpr std::uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;

// Refuses `number`, an open, where its argument `flags` says that it is for writing.
void refuseWriting(std::vector<sock_filter>& filter, std::uint32_t number, std::uint32_t flags) {
    constexpr std::uint32_t kWrites = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
    // The low half of a 64-bit argument; both architectures are little-endian.
    const auto at = static_cast<std::uint32_t>(offsetof(seccomp_data, args) + flags * sizeof(std::uint64_t));
    filter.push_back(unlessEqual(number, 4));
    filter.push_back(load(at));
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, kWrites, 0, 1));
    filter.push_back(give(kRefuse));
    filter.push_back(give(SECCOMP_RET_ALLOW));
}

void limit(int resource, rlim_t most) {
    rlimit limits{};
    if (::getrlimit(static_cast<__rlimit_resource_t>(resource), &limits) != 0) return;
    limits.rlim_cur = limits.rlim_max = std::min(most, limits.rlim_max);
    ::setrlimit(static_cast<__rlimit_resource_t>(resource), &limits);
}

}  // namespace

bool confineByLandlock() {
    const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (abi < 1) return false;
    landlock_ruleset_attr rights{};
    rights.handled_access_fs = kEveryFileRightToWrite;
    if (abi >= 2) rights.handled_access_fs |= LANDLOCK_ACCESS_FS_REFER;
    if (abi >= 3) rights.handled_access_fs |= kTruncate;
    // Rights that are handled and given to no path are nobody's.
    const long rules = ::syscall(SYS_landlock_create_ruleset, &rights, sizeof rights, 0);
    if (rules < 0) return false;
    const bool bound = giveUpPrivileges() && ::syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    ::close(static_cast<int>(rules));
    return bound;
}

bool confineByFilter() {
    if (kArchitecture == 0) return false;
    std::vector<sock_filter> filter{load(kArchitectureAt), unlessEqual(kArchitecture, 1),
                                    BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0), give(SECCOMP_RET_KILL_PROCESS),
                                    load(kNumberAt)};
#if defined(__x86_64__)
    // Calls of the x32 kind have numbers of their own.
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1));
    filter.push_back(give(kRefuse));
#endif
    for (const std::uint32_t number : kForbidden) {
        filter.push_back(unlessEqual(number, 1));
        filter.push_back(give(kRefuse));
    }
    refuseWriting(filter, SYS_openat, 2);
#ifdef SYS_open
    refuseWriting(filter, SYS_open, 1);
#endif
    filter.push_back(give(SECCOMP_RET_ALLOW));
    sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
    return giveUpPrivileges() &&
           ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

bool confineByLimits(std::uint64_t moreMemory) {
    limit(RLIMIT_CORE, 0);
    std::uint64_t pages = 0;
    if (!(std::ifstream("/proc/self/statm") >> pages)) return false;
    limit(RLIMIT_AS, pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) + moreMemory);
    return true;
}

void confine(std::uint64_t moreMemory) {
    confineByLimits(moreMemory);
    confineByLandlock();
    confineByFilter();
}

void forbidNewFiles() {
    limit(RLIMIT_FSIZE, 0);
    const int next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (next < 0) return;
    ::close(next);
    limit(RLIMIT_NOFILE, static_cast<rlim_t>(next) + 1);
}

}  // namespace dasgd::experiments
