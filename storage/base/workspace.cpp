#include "storage/base/workspace.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

namespace dasgd::storage {

namespace fs = std::filesystem;

namespace {

struct NetworkType {
    unsigned long type;
    const char* name;
};
constexpr std::array<NetworkType, 4> kNetworkTypes{
    {{0x6969, "NFS"}, {0x517B, "SMB"}, {0xFF534D42, "CIFS"}, {0xFE534D42, "SMB2"}}};

// FUSE (sshfs too), 9P, Lustre: whether flock reaches the other hosts is up to how they are mounted.
constexpr std::array<unsigned long, 3> kPerhapsSharedTypes{0x65735546, 0x01021997, 0x0BD00BD0};

std::string reason(int error) { return std::generic_category().message(error); }

Result<int> openLockFile(const fs::path& file) {
    const int opened = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (opened < 0) return fail("cannot open the lock file " + file.string() + ": " + reason(errno));
    return opened;
}

}  // namespace

FileLock::FileLock(FileLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
FileLock& FileLock::operator=(FileLock&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
}
FileLock::~FileLock() {
    if (file_ >= 0) ::close(file_);
}

Result<FileLock> FileLock::wait(const fs::path& file, Kind kind) {
    DASGD_ASSIGN(const int opened, openLockFile(file));
    FileLock lock(opened);
    while (::flock(opened, kind == Kind::Shared ? LOCK_SH : LOCK_EX) != 0) {
        if (errno != EINTR) return fail("cannot lock " + file.string() + ": " + reason(errno));
    }
    return lock;
}

Result<std::optional<FileLock>> FileLock::tryNow(const fs::path& file, Kind kind) {
    DASGD_ASSIGN(const int opened, openLockFile(file));
    FileLock lock(opened);
    while (::flock(opened, (kind == Kind::Shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) return std::optional<FileLock>();
        if (errno != EINTR) return fail("cannot lock " + file.string() + ": " + reason(errno));
    }
    return std::optional<FileLock>(std::move(lock));
}

// Not by a shared lock, which owners hold too. One that is held shared is not disturbed by this.
bool FileLock::isFree(const fs::path& file) {
    const int opened = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (opened < 0) return false;
    const FileLock lock(opened);
    struct statfs info {};
    if (::fstatfs(opened, &info) != 0 || mayHideLocks(info.f_type)) return false;
    return ::flock(opened, LOCK_EX | LOCK_NB) == 0;
}

bool FileLock::tryUpgrade() { return ::flock(file_, LOCK_EX | LOCK_NB) == 0; }

void FileLock::sign() const {
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    const std::string line = std::to_string(::getpid()) + " " + host.data() + "\n";
    ::lseek(file_, 0, SEEK_END);
    // Only people read it: a full disk must not stop anything here.
    [[maybe_unused]] const auto written = ::write(file_, line.data(), line.size());
}

std::string FileLock::holder(const fs::path& file) {
    std::ifstream in(file);
    std::string last;
    for (std::string line; std::getline(in, line);) last = line;
    return last;
}

std::string networkFileSystem(long type) {
    const auto low = static_cast<unsigned long>(type) & 0xFFFFFFFF;
    for (const NetworkType& known : kNetworkTypes) {
        if (known.type == low) return known.name;
    }
    return "";
}

bool mayHideLocks(long type) {
    const auto low = static_cast<unsigned long>(type) & 0xFFFFFFFF;
    return !networkFileSystem(type).empty() ||
           std::find(kPerhapsSharedTypes.begin(), kPerhapsSharedTypes.end(), low) != kPerhapsSharedTypes.end();
}

Status prepareWorkspace(const fs::path& root) {
    std::error_code error;
    fs::create_directories(root / "runs", error);
    if (error) {
        return fail("cannot make the workspace " + root.string() + ": " + error.message() +
                    "; choose a folder that you may write to (--workspace)");
    }
    if (::access(root.c_str(), W_OK | X_OK) != 0) {
        return fail("the workspace " + root.string() + " is not writable: " + reason(errno));
    }
    struct statfs info {};
    if (::statfs(root.c_str(), &info) != 0) return fail("cannot look at " + root.string() + ": " + reason(errno));
    if (const std::string network = networkFileSystem(info.f_type); !network.empty()) {
        return fail("the workspace " + root.string() + " lies on " + network +
                    ", where SQLite's shared memory and locks do not work; choose a folder on a local disk");
    }
    return {};
}

bool isRunId(const std::string& id) {
    return !id.empty() && id.size() <= 128 && id.front() != '.' &&
           std::all_of(id.begin(), id.end(),
                       [](unsigned char c) { return std::isalnum(c) || c == '.' || c == '_' || c == '-'; });
}

fs::path WorkspacePaths::journal(const std::string& runId, int rank) const {
    std::string digits = std::to_string(rank);
    digits.insert(0, digits.size() < 4 ? 4 - digits.size() : 0, '0');
    return run(runId) / "journal" / ("rank-" + digits);
}

}  // namespace dasgd::storage
