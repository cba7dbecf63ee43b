// Limits of a confined process, tried by a real one, each mechanism by itself.
#include "experiments/base/sandbox.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/landlock.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "tests/support/dasgd_program.h"
#include "tests/support/temp_dir.h"

namespace dasgd::experiments {
namespace {

// The exit status of a process that does `work`; 100 and more: the signal that ended it.
int statusOf(const std::function<int()>& work) {
    const pid_t id = ::fork();
    if (id == 0) ::_exit(work());
    int status = 0;
    DASGD_CHECK(::waitpid(id, &status, 0) == id);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

class Sandbox : public ::testing::Test {
protected:
    void SetUp() override { test::writeText(kept_, "kept"); }
    void TearDown() override {
        EXPECT_EQ(test::contentOf(kept_), "kept");
        for (const char* name : {"new", "folder", "link", "moved"}) {
            EXPECT_FALSE(std::filesystem::exists(folder_ / name)) << name;
        }
    }
    // Number of ways to change a file system that succeed.
    [[nodiscard]] int changes() const {
        const std::string kept = kept_.string();
        const std::string fresh = (folder_ / "new").string();
        int done = 0;
        done += ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644) >= 0;
        done += ::open(kept.c_str(), O_WRONLY | O_CLOEXEC) >= 0;
        done += ::open(kept.c_str(), O_RDONLY | O_TRUNC | O_CLOEXEC) >= 0;
        done += ::truncate(kept.c_str(), 0) == 0;
        done += ::mkdir((folder_ / "folder").c_str(), 0755) == 0;
        done += ::symlink(kept.c_str(), (folder_ / "link").c_str()) == 0;
        done += ::rename(kept.c_str(), (folder_ / "moved").c_str()) == 0;
        done += ::unlink(kept.c_str()) == 0;
        return done;
    }
    [[nodiscard]] bool canRead() const {
        char letters[4];
        const int fd = ::open(kept_.c_str(), O_RDONLY | O_CLOEXEC);
        return fd >= 0 && ::read(fd, letters, sizeof letters) == 4;
    }

    test::TempDir folder_;
    std::filesystem::path kept_ = folder_ / "kept";
};

TEST_F(Sandbox, LetsNothingBeWritten) {
    EXPECT_EQ(statusOf([this] {
                  confine();
                  return canRead() ? changes() : 99;
              }),
              0);
}

// Landlock alone, where the kernel has it; elsewhere the function says so. Before its third version Landlock does not
// know truncation.
TEST_F(Sandbox, LandlockAloneLetsNothingBeWritten) {
    const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    EXPECT_EQ(statusOf([&] {
                  if (confineByLandlock() != (abi >= 1)) return 98;
                  if (abi < 3) return 0;
                  return canRead() ? changes() : 99;
              }),
              0);
}

TEST_F(Sandbox, TheFilterAloneLetsNothingBeWrittenOrReached) {
    EXPECT_EQ(statusOf([this] {
                  if (!confineByFilter()) return 98;
                  int done = changes();
                  done += ::socket(AF_UNIX, SOCK_STREAM, 0) >= 0;
                  done += ::kill(::getppid(), 0) == 0;
                  char program[] = "/bin/true";
                  char* arguments[] = {program, nullptr};
                  ::execv(program, arguments);
                  return canRead() ? done : 99;
              }),
              0);
}

// The last resort where a container forbids both: nothing is written, though a file that exists may be emptied.
TEST_F(Sandbox, LimitsAloneLetNoSecondFileBeOpened) {
    EXPECT_EQ(statusOf([this] {
                  if (!confineByLimits()) return 98;
                  forbidNewFiles();
                  const int one = ::open(kept_.c_str(), O_RDONLY | O_CLOEXEC);
                  if (one < 0) return 97;
                  return ::open((folder_ / "new").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644) >= 0 ? 1 : 0;
              }),
              0);
}

TEST_F(Sandbox, FilesDoNotGrowAfterThat) {
    EXPECT_EQ(statusOf([] {
                  const int memory = ::memfd_create("test", MFD_CLOEXEC);
                  if (::write(memory, "a", 1) != 1) return 97;
                  ::signal(SIGXFSZ, SIG_IGN);
                  forbidNewFiles();
                  return ::write(memory, "b", 1) == 1 ? 1 : 0;
              }),
              0);
}

TEST_F(Sandbox, LeavesPipesOpen) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    EXPECT_EQ(statusOf([&] {
                  confine();
                  forbidNewFiles();
                  return ::write(ends[1], "answer", 6) == 6 ? 0 : 1;
              }),
              0);
    char answer[6];
    EXPECT_EQ(::read(ends[0], answer, sizeof answer), 6);
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST_F(Sandbox, LimitsMemory) {
    EXPECT_EQ(statusOf([] {
                  confine();
                  constexpr std::size_t kTooMuch = std::size_t{4} << 30;
                  void* got = ::mmap(nullptr, kTooMuch, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                  return got == MAP_FAILED ? 0 : 1;
              }),
              0);
}

}  // namespace
}  // namespace dasgd::experiments
