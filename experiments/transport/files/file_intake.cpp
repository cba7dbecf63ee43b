#include "experiments/transport/files/file_intake.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <future>

#include "core/base/make_folders.h"
#include "core/base/unfinished_checkpoints.h"
#include "experiments/base/process.h"
#include "experiments/base/text.h"
#include "experiments/transport/curve/curve_server.h"
#include "experiments/transport/files/run_file.h"

namespace dasgd::experiments {

namespace {

namespace fs = std::filesystem;

Parts done(const Status& status) { return status ? answerOf(kYes) : answerOf(kRefused, status.error().message); }
Parts refused(const std::string& why) { return answerOf(kRefused, why); }

std::string reason() { return ::strerror(errno); }

}  // namespace

// A file on its way: beside its place until all of it is there.
class FileIntake::Arrival {
public:
    // `run`: the folder of the run; `name`: of the file in it.
    Arrival(fs::path run, std::string name) : run_(std::move(run)), name_(std::move(name)), place_(run_ / name_) {
        aside_ = place_;
        aside_ += kFileArriving;
    }
    ~Arrival() {
        if (ending_.valid()) ending_.wait();
        if (out_) ::unlink(aside_.c_str());
    }
    Arrival(const Arrival&) = delete;
    Arrival& operator=(const Arrival&) = delete;

    // Its file is being brought to the disk, or what follows from that is done.
    [[nodiscard]] bool isEnding() const {
        return ending_.valid() && ending_.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
    }

    // Not while it is ending.
    Status put(std::int64_t offset, const std::string& bytes) {
        if (offset == 0) DASGD_TRY(begin());
        if (!out_ || offset > size_) return fail(name_ + ": a part of it is missing; send it again");
        if (::pwrite(out_.get(), bytes.data(), bytes.size(), offset) != static_cast<ssize_t>(bytes.size())) {
            return fail(place_.string() + ": cannot be written: " + reason());
        }
        size_ = std::max(size_, offset + static_cast<std::int64_t>(bytes.size()));
        return {};
    }

    // nullopt: not yet.
    std::optional<Status> end(std::int64_t size, const std::function<Status(const std::string&)>& arrived) {
        if (ended_) return ended_;
        if (!ending_.valid()) {
            if (!out_ || size != size_) return Status(fail(name_ + ": not all of it came; send it again"));
            ending_ = std::async(std::launch::async, [this, &arrived]() -> Status {
                DASGD_TRY(settle());
                try {
                    return arrived ? arrived(name_) : Status{};
                } catch (const std::exception& error) {
                    return fail(name_ + ": " + error.what());
                }
            });
        }
        if (isEnding()) return std::nullopt;
        return ended_ = ending_.get();
    }

private:
    Status begin() {
        ended_.reset();
        ending_ = {};
        size_ = 0;
        // Where they cannot be made the file cannot be opened, which says why.
        static_cast<void>(makeFoldersBelow(run_, fs::path(name_).parent_path()));
        out_ = Descriptor(::open(aside_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
        return out_ ? Status{} : fail(place_.string() + ": cannot be written: " + reason());
    }

    Status settle() {
        const bool written = ::fsync(out_.get()) == 0 && ::rename(aside_.c_str(), place_.c_str()) == 0;
        const std::string why = reason();
        out_ = Descriptor();
        if (!written) ::unlink(aside_.c_str());
        return written ? Status{} : fail(place_.string() + ": cannot be written: " + why);
    }

    fs::path run_;
    std::string name_;
    fs::path place_, aside_;
    Descriptor out_;
    std::int64_t size_ = 0;
    std::optional<Status> ended_;
    std::future<Status> ending_;  // last: it is waited for before the rest goes
};

FileIntake::FileIntake(Options options) : options_(std::move(options)) {}
FileIntake::~FileIntake() { close(); }

void FileIntake::close() {
    decltype(arrivals_) arrivals;
    decltype(replaced_) replaced;
    const std::lock_guard guard(mutex_);
    closed_ = true;
    arrivals.swap(arrivals_);
    replaced.swap(replaced_);
}

Parts FileIntake::answer(const Parts& request) {
    const std::lock_guard guard(mutex_);
    if (closed_) return refused("the run has ended");
    std::erase_if(replaced_, [](const auto& arrival) { return !arrival->isEnding(); });
    Parts said = answerTo(request);
    if (said[0].front() != kRefused) ++moved_;
    return said;
}

Parts FileIntake::answerTo(const Parts& request) {
    const char operation = request.front().size() == 1 ? request.front().front() : '?';
    if (operation == file_post::kGet && request.size() == 3)
        return give(request[1], decimalOf(request[2]).value_or(-1));
    const bool puts = operation == file_post::kPut && request.size() == 5,
               ends = operation == file_post::kEnd && request.size() == 4;
    const auto rank = puts || ends ? decimalOf(request[1]) : std::nullopt;
    const auto number = puts || ends ? decimalOf(request[3]) : std::nullopt;
    if (!rank || !number || *number < 0) return refused("no such request");
    Arrival* arrival = arrivalOf(*rank, request[2]);
    if (!arrival) return refused("'" + request[2] + "' is no file that rank " + request[1] + " sends");
    if (puts) return arrival->isEnding() ? answerOf(kNotYet) : done(arrival->put(*number, request[4]));
    const auto ended = arrival->end(*number, options_.arrived);
    return ended ? done(*ended) : answerOf(kNotYet);
}

FileIntake::Arrival* FileIntake::arrivalOf(std::int64_t rank, const std::string& name) {
    if (std::ranges::count(options_.ranks, rank) == 0 || !isSentByRank(name, Rank(static_cast<int>(rank)))) {
        return nullptr;
    }
    // One part of a checkpoint arrives at a time from each rank; an earlier one is complete or was given up.
    const bool part = stepOfPart(name).has_value();
    std::unique_ptr<Arrival>& arrival = arrivals_[{rank, part ? "" : name}];
    // Nobody waits for the disk with it.
    if (part && latest_[rank] != name && arrival && arrival->isEnding()) replaced_.push_back(std::move(arrival));
    if (part && latest_[rank] != name) arrival.reset();
    if (part) latest_[rank] = name;
    if (!arrival) arrival = std::make_unique<Arrival>(options_.folder, name);
    return arrival.get();
}

Parts FileIntake::give(const std::string& name, std::int64_t offset) const {
    if (options_.goesFrom.empty() || !isInCheckpoint(name) || offset < 0) return refused("no such file: " + name);
    const Descriptor in(::open((options_.goesFrom / name).c_str(), O_RDONLY | O_CLOEXEC));
    std::string bytes(file_post::kChunkBytes, '\0');
    const ssize_t got = in ? ::pread(in.get(), bytes.data(), bytes.size(), offset) : -1;
    if (got < 0) return refused((options_.goesFrom / name).string() + ": cannot be read: " + reason());
    bytes.resize(static_cast<std::size_t>(got));
    return answerOf(kYes, std::move(bytes));
}

}  // namespace dasgd::experiments
