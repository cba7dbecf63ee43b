// Journals for tests: making, reading back with copies of the texts, and disks without room.
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "core/journal/journal.h"

namespace dasgd::test {

struct OwnedEntry : EventRecord {
    std::string name;  // of a metric, or of a span that has one
    std::string text;
};

inline std::unique_ptr<JournalWriter> newJournal(const std::filesystem::path& folder, JournalOptions options = {}) {
    auto journal = JournalWriter::create(folder, options);
    if (!journal) std::fprintf(stderr, "%s\n", journal.error().message.c_str());
    DASGD_CHECK(journal);
    return std::move(*journal);
}

inline std::vector<OwnedEntry> readAll(JournalReader& reader) {
    std::vector<OwnedEntry> entries;
    const auto read = reader.read(10'000'000, [&](const EventRecord& entry) {
        const bool isSpan = entry.type == EventRecord::Type::Span;
        entries.push_back({entry, std::string(isSpan ? entry.name : entry.metric.name), std::string(entry.text)});
    });
    DASGD_CHECK(read && *read == entries.size());
    return entries;
}
inline std::vector<OwnedEntry> readAll(const std::filesystem::path& folder, std::uint64_t after = 0) {
    JournalReader reader(folder, after);
    return readAll(reader);
}

// No file of this process can grow while it lives.
class NoRoom {
public:
    NoRoom() {
        ::signal(SIGXFSZ, SIG_IGN);
        DASGD_CHECK(::getrlimit(RLIMIT_FSIZE, &before_) == 0);
        const rlimit none{.rlim_cur = 0, .rlim_max = before_.rlim_max};
        DASGD_CHECK(::setrlimit(RLIMIT_FSIZE, &none) == 0);
    }
    ~NoRoom() { ::setrlimit(RLIMIT_FSIZE, &before_); }
    NoRoom(const NoRoom&) = delete;
    NoRoom& operator=(const NoRoom&) = delete;

private:
    rlimit before_{};
};

// A tmpfs of `bytes` over `folder`, seen by this process alone and gone with it. Works for root, and for everybody
// where the kernel lets users make namespaces.
class SmallDisk {
public:
    SmallDisk(const std::filesystem::path& folder, std::size_t bytes) {
        const unsigned uid = ::getuid();
        int flags = CLONE_NEWNS;
        if (uid != 0) flags |= CLONE_NEWUSER;
        if (::unshare(flags) != 0) return;
        if (uid != 0) std::ofstream("/proc/self/uid_map") << "0 " << uid << " 1";
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
        mounted_ = ::mount("tmpfs", folder.c_str(), "tmpfs", 0, ("size=" + std::to_string(bytes)).c_str()) == 0;
    }
    [[nodiscard]] bool mounted() const { return mounted_; }

private:
    bool mounted_ = false;
};

}  // namespace dasgd::test
