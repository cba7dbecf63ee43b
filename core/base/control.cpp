#include "core/base/control.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <limits>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "core/base/check.h"

namespace dasgd {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMagic = 0x314c525443534144;  // "DASCTRL1"
constexpr std::int64_t kNoStop = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kNever = -1;
constexpr auto kParkPause = std::chrono::microseconds(200);
constexpr int kPausesBetweenProcessChecks = 500;

tl::unexpected<Error> failure(const std::string& what, const fs::path& file, int error) {
    return fail(what + " " + file.string() + ": " + std::generic_category().message(error));
}

}  // namespace

// One cache line per rank, so that the stores of two ranks do not share a line.
struct alignas(64) RunControl::Line {
    std::atomic<std::int64_t> completed{0};
    std::atomic<std::int64_t> entered{0};      // the step it was last allowed to make
    std::atomic<std::int64_t> parked{kNever};  // the stop step it waits at
    std::atomic<std::int32_t> process{0};
    std::atomic<std::uint32_t> left{0};
};

struct alignas(64) RunControl::Page {
    std::uint64_t magic = kMagic;
    std::int32_t ranks = 0;
    std::atomic<std::int64_t> stop{kNoStop};
    std::atomic<double> turn{0};
    std::atomic<std::uint32_t> held{0};
};

static_assert(std::atomic<std::int64_t>::is_always_lock_free && std::atomic<double>::is_always_lock_free,
              "the page is shared between processes");

RunControl::RunControl(Page* page, std::size_t bytes) : page_(page), bytes_(bytes) {}
RunControl::RunControl(RunControl&& other) noexcept
    : page_(std::exchange(other.page_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
RunControl& RunControl::operator=(RunControl&& other) noexcept {
    std::swap(page_, other.page_);
    std::swap(bytes_, other.bytes_);
    return *this;
}
RunControl::~RunControl() {
    if (page_) ::munmap(page_, bytes_);
}

RunControl::Line& RunControl::line(int rank) const {
    DASGD_CHECK(rank >= 0 && rank < page_->ranks);
    return reinterpret_cast<Line*>(page_ + 1)[rank];
}

Result<RunControl> RunControl::create(const fs::path& file, int ranks) {
    DASGD_CHECK(ranks > 0);
    const fs::path temporary = file.string() + ".tmp";
    const int opened = ::open(temporary.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (opened < 0) return failure("cannot create the control page", temporary, errno);
    const std::size_t bytes = sizeof(Page) + static_cast<std::size_t>(ranks) * sizeof(Line);
    if (const int error = ::posix_fallocate(opened, 0, static_cast<off_t>(bytes))) {
        ::close(opened);
        ::unlink(temporary.c_str());
        return failure("no room for the control page", temporary, error);
    }
    auto control = map(opened, temporary);
    ::close(opened);
    if (!control) return control;
    auto* page = new (control->page_) Page{};
    page->ranks = ranks;
    for (int rank = 0; rank < ranks; ++rank) new (&control->line(rank)) Line{};
    if (::rename(temporary.c_str(), file.c_str()) != 0) return failure("cannot create the control page", file, errno);
    return control;
}

Result<RunControl> RunControl::open(const fs::path& file) {
    const int opened = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
    if (opened < 0) return failure("cannot open the control page", file, errno);
    auto control = map(opened, file);
    ::close(opened);
    if (!control) return control;
    const Page& page = *control->page_;
    const bool whole = page.magic == kMagic && page.ranks > 0 &&
                       control->bytes_ >= sizeof(Page) + static_cast<std::size_t>(page.ranks) * sizeof(Line);
    if (!whole) return fail(file.string() + " is not a control page of a run");
    return control;
}

Result<RunControl> RunControl::map(int file, const fs::path& name) {
    struct stat info {};
    if (::fstat(file, &info) != 0) return failure("cannot read the control page", name, errno);
    const auto bytes = static_cast<std::size_t>(info.st_size);
    if (bytes < sizeof(Page)) return fail(name.string() + " is not a control page of a run");
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
    if (memory == MAP_FAILED) return failure("cannot map the control page", name, errno);
    return RunControl(static_cast<Page*>(memory), bytes);
}

int RunControl::ranks() const { return page_->ranks; }

bool RunControl::mayContinue(Rank rank, std::int64_t completed) {
    publish(rank, completed);
    Line& mine = line(rank.value());
    if (completed >= page_->stop.load(std::memory_order_acquire) && !park(rank.value(), completed)) return false;
    // Stored after the stop step was read: a rank that waits at an earlier step sees that this rank has passed it.
    mine.entered.store(completed + 1, std::memory_order_release);
    return true;
}

void RunControl::publish(Rank rank, std::int64_t completed) {
    Line& mine = line(rank.value());
    if (mine.process.load(std::memory_order_relaxed) == 0) mine.process.store(::getpid());
    mine.completed.store(completed, std::memory_order_release);
}

bool CooperativeGate::mayContinue(Rank rank, std::int64_t completed) {
    control_.publish(rank, completed);
    return stop_.mayContinue(control_.stopRequested(), completed);
}

// True where the rank must continue because another one has passed the stop step.
bool RunControl::park(int rank, std::int64_t completed) {
    std::int64_t stop = page_->stop.load();
    while (stop < completed && !page_->stop.compare_exchange_weak(stop, completed)) {
    }
    line(rank).parked.store(completed);
    for (int pauses = 1;; ++pauses) {
        if (page_->stop.load() > completed) return true;
        const Answer answer = inspectOtherRanks(completed);
        if (answer == Answer::Stop) return false;
        if (answer == Answer::Continue) return true;
        if (pauses % kPausesBetweenProcessChecks == 0) markEndedProcesses();
        std::this_thread::sleep_for(kParkPause);
    }
}

// A rank that entered a later step without parking here will not come back to this one, and may be waiting in a
// collective for us: the stop moves past it. Once all are parked at the stop step, or have left before it, nobody can
// move it any more, so all of them read the same answer.
RunControl::Answer RunControl::inspectOtherRanks(std::int64_t completed) {
    Answer answer = Answer::Stop;
    for (int rank = 0; rank < page_->ranks; ++rank) {
        const Line& other = line(rank);
        const bool left = other.left.load() != 0;
        if (other.parked.load() == completed) continue;
        if (const std::int64_t entered = other.entered.load(); entered > completed) {
            std::int64_t stop = page_->stop.load();
            while (stop < entered && !page_->stop.compare_exchange_weak(stop, entered)) {
            }
            return Answer::Continue;
        }
        if (!left) answer = Answer::Wait;
    }
    return answer;
}

void RunControl::markEndedProcesses() {
    for (int rank = 0; rank < page_->ranks; ++rank) {
        Line& other = line(rank);
        const std::int32_t process = other.process.load();
        if (process != 0 && ::kill(process, 0) != 0 && errno == ESRCH) other.left.store(1);
    }
}

void RunControl::leave(Rank rank) { line(rank.value()).left.store(1); }

void RunControl::requestStop() {
    std::int64_t furthest = 0;
    for (int rank = 0; rank < page_->ranks; ++rank) furthest = std::max(furthest, line(rank).entered.load());
    // The stop is set one step ahead: ranks that are in mayContinue() now usually see it in time; otherwise the stop
    // step moves.
    std::int64_t none = kNoStop;
    page_->stop.compare_exchange_strong(none, furthest + 1);
}

bool RunControl::stopRequested() const { return page_->stop.load() != kNoStop; }

std::int64_t RunControl::completed(Rank rank) const { return line(rank.value()).completed.load(); }

std::optional<std::int64_t> RunControl::stopStep() const {
    const std::int64_t stop = page_->stop.load();
    if (stop == kNoStop) return std::nullopt;
    return stop;
}

void RunControl::setTurn(double turn) { page_->turn.store(turn); }

double RunControl::turn() const { return page_->turn.load(); }

void RunControl::setHeld(bool held) { page_->held.store(held ? 1 : 0); }

bool RunControl::isHeld() const { return page_->held.load() != 0; }

}  // namespace dasgd
