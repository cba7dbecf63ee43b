#include "storage/base/workspace.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <system_error>
#include <utility>

#include "core/base/host_name.h"
#include "core/base/log.h"
#include "core/base/text/zero_padded.h"
#include "storage/base/lock_wait.h"

namespace dasgd::storage {

namespace fs = std::filesystem;

namespace {

// Those of one host, by statfs(2) and linux/magic.h: ext2 to ext4, XFS, Btrfs, F2FS, ZFS, bcachefs, JFS, ReiserFS,
// NILFS, tmpfs, ramfs, overlayfs, eCryptfs, FAT, exFAT, NTFS.
constexpr std::array<unsigned long, 16> kLocalTypes{
    0xEF53, 0x58465342, 0x9123683E, 0xF2F52010, 0x2FC12FC1, 0xCA451A4E, 0x3153464A, 0x52654973,
    0x3434, 0x01021994, 0x858458F6, 0x794C7630, 0xF15F,     0x4D44,     0x2011BAB0, 0x7366746E};

struct SharedType {
    unsigned long type;
    const char* name;
};
constexpr std::array<SharedType, 13> kSharedTypes{{{0x6969, "NFS"},
                                                   {0x517B, "SMB"},
                                                   {0xFF534D42, "CIFS"},
                                                   {0xFE534D42, "SMB2"},
                                                   {0x65735546, "FUSE"},
                                                   {0x01021997, "9P"},
                                                   {0x0BD00BD0, "Lustre"},
                                                   {0x47504653, "GPFS"},
                                                   {0x19830326, "BeeGFS"},
                                                   {0x00C36400, "CephFS"},
                                                   {0x5346414F, "AFS"},
                                                   {0x01161970, "GFS2"},
                                                   {0x7461636F, "OCFS2"}}};

constexpr const char* kAllowedFile = "filesystem-allowed";
// SQLite's own limit is 512 bytes for a name, journal and all.
constexpr std::size_t kLongestDatabasePath = 480;
constexpr mode_t kOwnFile = 0600;

std::string reason(int error) { return std::generic_category().message(error); }

// A new folder, or an empty one, becomes its owner's alone: lab.db also holds the uncommitted changes of a run's code.
Status makeRoot(const fs::path& root) {
    std::error_code error;
    const bool isNew = !fs::exists(root, error) || (fs::is_directory(root, error) && fs::is_empty(root, error));
    error.clear();
    fs::create_directories(root, error);
    if (!error && isNew) fs::permissions(root, fs::perms::owner_all, error);
    const Status made = error ? fail(error.message()) : makeOwnFolder(root / "runs");
    if (made) return {};
    return fail("cannot make the workspace " + root.string() + ": " + made.error().message +
                "; choose a folder that you may write to (--workspace)");
}

const char* nameOf(fs::file_type type) {
    switch (type) {
        case fs::file_type::directory: return "folder";
        case fs::file_type::fifo: return "named pipe";
        case fs::file_type::socket: return "socket";
        case fs::file_type::block:
        case fs::file_type::character: return "device";
        default: return "special file";
    }
}

Result<int> openLockFile(const fs::path& file) {
    const int opened = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kOwnFile);
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

Result<FileLock> FileLock::wait(const fs::path& file, Kind kind, std::chrono::milliseconds patience) {
    DASGD_ASSIGN(const int opened, openLockFile(file));
    FileLock lock(opened);
    LockWait wait(file, LockWait::Lock::Flock, patience);
    while (::flock(opened, (kind == Kind::Shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0) {
        if (errno == EINTR) continue;
        if (errno != EWOULDBLOCK) return fail("cannot lock " + file.string() + ": " + reason(errno));
        DASGD_TRY(wait.pause());
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
bool FileLock::isFree(const fs::path& file, bool allowed) {
    const int opened = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (opened < 0) return false;
    const FileLock lock(opened);
    struct statfs info {};
    if (::fstatfs(opened, &info) != 0) return false;
    if (!allowed && !sharedFileSystem(info.f_type).empty()) return false;
    return ::flock(opened, LOCK_EX | LOCK_NB) == 0;
}

bool FileLock::tryUpgrade() { return ::flock(file_, LOCK_EX | LOCK_NB) == 0; }

void FileLock::sign() const {
    const std::string line = std::to_string(::getpid()) + " " + hostName() + "\n";
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

std::string sharedFileSystem(long type) {
    const auto low = static_cast<unsigned long>(type) & 0xFFFFFFFF;
    if (std::find(kLocalTypes.begin(), kLocalTypes.end(), low) != kLocalTypes.end()) return "";
    for (const SharedType& known : kSharedTypes) {
        if (known.type == low) return known.name;
    }
    std::array<char, 16> digits{};
    std::snprintf(digits.data(), digits.size(), "0x%lx", low);
    return std::string("a file system of type ") + digits.data();
}

Status allowFileSystem(const fs::path& root) {
    DASGD_TRY(makeRoot(root));
    std::ofstream marker(root / kAllowedFile);
    marker << "The file system of this folder was allowed with --allow-filesystem.\n";
    marker.close();
    if (marker) return {};
    return fail("cannot write " + (root / kAllowedFile).string() + ": " + reason(errno));
}

bool isFileSystemAllowed(const fs::path& root) {
    std::error_code ignored;
    return fs::is_regular_file(root / kAllowedFile, ignored);
}

Result<std::string> judgeFileSystem(const fs::path& root, long type, bool allowed) {
    const std::string shared = sharedFileSystem(type);
    if (shared.empty()) return std::string();
    const std::string where = "the workspace " + root.string() + " lies on " + shared;
    if (allowed) {
        return where + ", which --allow-filesystem permitted: records can be lost as soon as another host writes to it";
    }
    return fail(where +
                ", which is not known to be of this host alone: there SQLite's shared memory and locks may not "
                "work, and records be lost. Choose a folder on a local disk, or, if only this host writes to it, "
                "say so once with `dasgd run FILE.toml --allow-filesystem`");
}

namespace {

// Everybody may put other files and links in the place of those in the folder.
bool isOpenToAll(const struct stat& folder) {
    return (folder.st_mode & S_IWOTH) != 0 && (folder.st_mode & S_ISVTX) == 0;
}

std::string nameOfUser(uid_t user) {
    const passwd* entry = ::getpwuid(user);
    return entry ? entry->pw_name : "user " + std::to_string(user);
}

// A link in a workspace leads to where its maker wants, with the rights of whoever records.
Status checkLink(const fs::path& file, const struct stat& root) {
    struct stat found {};
    if (::lstat(file.c_str(), &found) != 0 || !S_ISLNK(found.st_mode)) return {};
    const bool own = found.st_uid == ::geteuid() || found.st_uid == 0;
    // Root works in folders of others, as in a container.
    const bool trusted = ::geteuid() == 0 && found.st_uid == root.st_uid;
    if (own || trusted) return {};
    return fail(file.string() + " is a link that " + nameOfUser(found.st_uid) +
                " made, and would be followed: remove it, or choose another workspace (--workspace)");
}

// Checks that other users cannot redirect what is written into a workspace.
Status checkOthers(const fs::path& root) {
    const fs::path folder = root.has_filename() ? root : root.parent_path();
    for (const fs::path& place : {folder, fs::absolute(folder).parent_path()}) {
        struct stat found {};
        if (::stat(place.c_str(), &found) != 0 || !isOpenToAll(found)) continue;
        return fail("the workspace " + root.string() + " is not safe from other users: everybody may write to " +
                    place.string() + ", and so put links to other files in its place. Run `chmod o-w '" +
                    place.string() + "'`, or choose another workspace (--workspace)");
    }
    struct stat found {};
    if (::stat(root.c_str(), &found) != 0) return {};
    const WorkspacePaths paths{root};
    for (const fs::path& file : {root / "runs", paths.database(), paths.lock()}) DASGD_TRY(checkLink(file, found));
    return {};
}

// The warning for a place that may not hold a workspace safely; "" for a good one.
Result<std::string> judgePlace(const fs::path& root) {
    const std::size_t bytes = WorkspacePaths{root}.database().string().size();
    if (bytes > kLongestDatabasePath) {
        return fail("the workspace's path is too long: with lab.db " + std::to_string(bytes) + " bytes, where " +
                    std::to_string(kLongestDatabasePath) + " are SQLite's limit; choose another folder (--workspace)");
    }
    std::error_code ignored;
    fs::path there = fs::absolute(root, ignored);
    while (!fs::exists(there, ignored) && there.has_relative_path()) there = there.parent_path();
    struct statfs info {};
    if (::statfs(there.c_str(), &info) != 0) return fail("cannot look at " + there.string() + ": " + reason(errno));
    DASGD_ASSIGN(std::string warning, judgeFileSystem(root, info.f_type, isFileSystemAllowed(root)));
    DASGD_TRY(checkOthers(root));
    DASGD_TRY(checkDatabaseFile(WorkspacePaths{root}.database()));
    return warning;
}

}  // namespace

Status checkPlace(const fs::path& root) {
    const auto judged = judgePlace(root);
    return judged ? Status() : tl::unexpected<Error>(judged.error());
}

Status prepareWorkspace(const fs::path& root) {
    DASGD_ASSIGN(const std::string warning, judgePlace(root));
    DASGD_TRY(makeRoot(root));
    if (::access(root.c_str(), W_OK | X_OK) != 0) {
        return fail("the workspace " + root.string() + " is not writable: " + reason(errno));
    }
    if (!warning.empty()) logLine(LogLevel::Warning, warning);
    return {};
}

Status makeOwnFolder(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder.parent_path(), error);
    if (::mkdir(folder.c_str(), 0700) == 0) return {};
    const int code = errno;
    if (code == EEXIST && fs::is_directory(folder, error)) return {};
    return fail("cannot make the folder " + folder.string() + ": " + reason(code));
}

Status checkDatabaseFile(const fs::path& file) {
    std::error_code error;
    const fs::file_type type = fs::status(file, error).type();
    if (type == fs::file_type::regular || type == fs::file_type::not_found) return {};
    if (type == fs::file_type::none) return fail("cannot look at " + file.string() + ": " + error.message());
    return fail(file.string() + " is no file but a " + nameOf(type) + ": move it away, or choose another workspace");
}

bool isRunId(const std::string& id) {
    return !id.empty() && id.size() <= 128 && id.front() != '.' &&
           std::all_of(id.begin(), id.end(),
                       [](unsigned char c) { return std::isalnum(c) || c == '.' || c == '_' || c == '-'; });
}

fs::path WorkspacePaths::journal(const std::string& runId, int rank) const {
    return run(runId) / "journal" / ("rank-" + zeroPadded(static_cast<std::uint64_t>(rank), 4));
}

}  // namespace dasgd::storage
