#include "tests/support/isolated/isolated_tests.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "tests/support/full_tests.h"
#include "tests/support/paths.h"

namespace dasgd::test {

namespace {

constexpr int kUsualLimitS = 180;
constexpr int kKeptOutput = 64 * 1024;  // of a failed test, from its end

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

// State that a child and its parent share.
struct Verdict {
    std::atomic<bool> ended;
    bool skipped;
};

Verdict& verdict() {
    static auto* const shared = static_cast<Verdict*>(
        ::mmap(nullptr, sizeof(Verdict), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    DASGD_CHECK(shared != MAP_FAILED);
    return *shared;
}

// A file without a name, that a child's output goes to.
class Output {
public:
    Output() : fd_(::memfd_create("output", MFD_CLOEXEC)) { DASGD_CHECK(fd_ >= 0); }
    ~Output() { ::close(fd_); }
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    void takeStandard() const {
        ::dup2(fd_, STDOUT_FILENO);
        ::dup2(fd_, STDERR_FILENO);
    }
    [[nodiscard]] std::string whole() const { return from(0); }
    [[nodiscard]] std::string end() const { return from(::lseek(fd_, 0, SEEK_END) - kKeptOutput); }

private:
    [[nodiscard]] std::string from(off_t wanted) const {
        const off_t size = ::lseek(fd_, 0, SEEK_END), from = std::max<off_t>(0, wanted);
        std::string text(static_cast<std::size_t>(size - from), '\0');
        const ssize_t read = ::pread(fd_, text.data(), text.size(), from);
        text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, read)));
        return text;
    }

    int fd_;
};

pid_t forked() {
    std::fflush(nullptr);
    const pid_t id = ::fork();
    DASGD_CHECK(id >= 0);
    if (id == 0) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    return id;
}

std::string listOfLongTests() {
    const char* other = std::getenv("DASGD_LONG_TESTS");
    return other ? other : std::string(kSourceDir) + "/tests/long_tests.txt";
}

// A filter of GoogleTest without the tests of the list that are left to `./lab test --full`.
std::string filterOfTheList(const std::string& list) {
    std::ifstream in(list);
    DASGD_CHECK(in.good());
    std::string left;
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line.substr(0, line.find('#')));
        std::string pattern, where;
        if (!(words >> pattern)) continue;
        words >> where;
        if (where.empty() || kSanitized) left += (left.empty() ? "-" : ":") + pattern;
    }
    return left.empty() ? "*" : left;
}

// Only GoogleTest knows what its filter and its shards choose, and only once it lists or runs them.
std::vector<std::string> chosenTests() {
    const Output names, ignored;
    const pid_t id = forked();
    if (id == 0) {
        ignored.takeStandard();
        GTEST_FLAG_SET(list_tests, true);
        int status = RUN_ALL_TESTS();
        names.takeStandard();
        const auto& all = *testing::UnitTest::GetInstance();
        for (int i = 0; i < all.total_test_suite_count(); ++i) {
            const auto& suite = *all.GetTestSuite(i);
            for (int j = 0; j < suite.total_test_count(); ++j) {
                const auto& test = *suite.GetTestInfo(j);
                if (test.should_run()) std::printf("%s.%s\n", suite.name(), test.name());
            }
        }
        std::fflush(nullptr);
        ::_exit(status);
    }
    int status = 0;
    DASGD_CHECK(::waitpid(id, &status, 0) == id && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    std::vector<std::string> tests;
    const std::string text = names.whole();
    for (std::size_t from = 0, to; (to = text.find('\n', from)) != std::string::npos; from = to + 1) {
        tests.push_back(text.substr(from, to - from));
    }
    return tests;
}

// The test's whole process: the caller leaves main with the answer.
int runOne(const std::string& test, const Output& output, const std::function<int()>& runChosen) {
    ::setpgid(0, 0);
    output.takeStandard();
    for (const char* sharding : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX", "GTEST_SHARD_STATUS_FILE"}) {
        ::unsetenv(sharding);
    }
    GTEST_FLAG_SET(filter, test);
    GTEST_FLAG_SET(output, "");
    GTEST_FLAG_SET(brief, false);
    const int status = runChosen();
    const auto& all = *testing::UnitTest::GetInstance();
    verdict().skipped = all.skipped_test_count() > 0;
    verdict().ended = status == 0 && all.successful_test_count() + all.skipped_test_count() == 1;
    // Statics are destroyed for sanitizers alone, which report after main: LibTorch takes a tenth of a second to take
    // its operators off their list, in every child.
    if (!kSanitized) {
        std::fflush(nullptr);
        std::_Exit(status);
    }
    return status;
}

int limitSeconds() {
    const char* text = std::getenv("DASGD_TEST_LIMIT_S");
    return text ? std::atoi(text) : kUsualLimitS;
}

// Why the child failed, empty where it did not.
std::string awaitVerdict(pid_t id) {
    const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, id, 0));
    DASGD_CHECK(pidfd >= 0);
    pollfd ended{pidfd, POLLIN, 0};
    const int limit = limitSeconds();
    const bool inTime = ::poll(&ended, 1, limit * 1000) > 0;
    ::close(pidfd);
    if (!inTime) ::kill(-id, SIGKILL);
    int status = 0;
    DASGD_CHECK(::waitpid(id, &status, 0) == id);
    if (!inTime) return "took longer than " + std::to_string(limit) + " s";
    if (WIFSIGNALED(status)) return std::string("ended by ") + ::strsignal(WTERMSIG(status));
    if (WEXITSTATUS(status) != 0) return "ended with " + std::to_string(WEXITSTATUS(status));
    return verdict().ended ? "" : "ended without a verdict";
}

struct Duration {
    double seconds;
    std::string test;
};

// Appends seconds and name of each test to the file $DASGD_TEST_TIMES, if it is set.
void writeTimes(const std::vector<Duration>& durations) {
    const char* path = std::getenv("DASGD_TEST_TIMES");
    if (!path) return;
    std::FILE* file = std::fopen(path, "a");
    DASGD_CHECK(file);
    for (const Duration& one : durations) std::fprintf(file, "%.3f %s\n", one.seconds, one.test.c_str());
    std::fclose(file);
}

// Prints the tests that took longest, at most five and each at least a second: where the time of a check goes.
void printSlowest(std::vector<Duration> durations) {
    std::erase_if(durations, [](const Duration& one) { return one.seconds < 1; });
    std::ranges::sort(durations, std::greater{}, &Duration::seconds);
    if (durations.size() > 5) durations.resize(5);
    for (const Duration& one : durations) std::printf("slow: %s %.1f s\n", one.test.c_str(), one.seconds);
}

// Text from GoogleTest's "file:line: Skipped" on, to the line that ends the test.
std::string reasonToSkip(const std::string& output) {
    const std::size_t from = output.find(": Skipped\n");
    if (from == std::string::npos) return "";
    const std::size_t start = output.find('\n', from) + 1;
    std::string reason = output.substr(start, output.find("\n[  SKIPPED ]", start) - start);
    while (!reason.empty() && reason.back() == '\n') reason.pop_back();
    return reason;
}

}  // namespace

bool takeIsolate(int& argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--isolate") != 0) continue;
        for (; i < argc; ++i) argv[i] = argv[i + 1];  // the null at the end moves too
        --argc;
        return true;
    }
    return false;
}

int runIsolated(const std::function<int()>& runChosen) {
    std::vector<std::string> tests = chosenTests();
    if (GTEST_FLAG_GET(filter) == "*" && !testsInFull()) {
        const std::size_t all = tests.size();
        GTEST_FLAG_SET(filter, filterOfTheList(listOfLongTests()));
        tests = chosenTests();
        // GoogleTest deals out to its shards what the filter leaves, so the number is right as a sum over all shards.
        const auto left = static_cast<std::ptrdiff_t>(all) - static_cast<std::ptrdiff_t>(tests.size());
        if (left != 0) std::printf("left to ./lab test --full: %td\n", left);
    }
    int passed = 0, failed = 0, skipped = 0;
    std::vector<Duration> durations;
    for (const std::string& test : tests) {
        const Output output;
        verdict().ended = false;
        const auto start = std::chrono::steady_clock::now();
        const pid_t id = forked();
        if (id == 0) return runOne(test, output, runChosen);
        const std::string fault = awaitVerdict(id);
        durations.push_back({std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), test});
        if (!fault.empty()) {
            ++failed;
            std::printf("FAILED: %s %s\n%s\n", test.c_str(), fault.c_str(), output.end().c_str());
        } else if (verdict().skipped) {
            ++skipped;
            std::printf("skipped: %s: %s\n", test.c_str(), reasonToSkip(output.end()).c_str());
        } else {
            ++passed;
        }
    }
    writeTimes(durations);
    printSlowest(std::move(durations));
    std::printf("isolated tests: %d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed > 0 || passed + skipped == 0 ? 1 : 0;
}

}  // namespace dasgd::test
