#include "experiments/ranks/meeting/liveness_check.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "experiments/ranks/meeting/decision.h"

namespace dasgd::experiments {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBetweenRollLooks{200};
constexpr std::size_t kMostNamed = 8;
constexpr const char* kCalled = "roll/called";

std::string hostKey(int rank) { return "roll/host/" + std::to_string(rank); }

// A message that a rank leaves for the others in the store.
struct Word {
    int rank = -1;        // which called for the check
    std::string error;    // of that rank, "" where it finished
    std::string missing;  // ranks that do not answer, in words
};
std::string toText(const Word& word) {
    return nlohmann::json{{"rank", word.rank}, {"error", word.error}, {"missing", word.missing}}.dump(
        -1, ' ', false, nlohmann::json::error_handler_t::replace);
}
Word wordFrom(const std::string& text) {
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (!json.is_object()) return {};
    return {json.value("rank", -1), json.value("error", ""), json.value("missing", "")};
}

std::string named(int rank, const std::string& host) { return "rank " + std::to_string(rank) + " on " + host; }

}  // namespace

class LivenessCheck::Work {
public:
    Work(Rendezvous store, int rank, int size, std::string home)
        : store_(std::move(store)), rank_(rank), size_(size), home_(std::move(home)) {}

    void run() {
        attend();
        const std::lock_guard guard(mutex_);
        over_ = true;
        wake_.notify_all();
    }

    LivenessResult call(const std::string& error) {
        std::unique_lock lock(mutex_);
        error_ = error;
        wake_.notify_all();
        // The store's client may take until its own deadline to see that rank 0's host is gone.
        if (wake_.wait_for(lock, kAnswer + kWord, [this] { return end_.has_value(); })) return *end_;
        abandoned_ = true;
        return withoutHome();
    }

    // True if the thread has finished.
    bool leave() {
        std::unique_lock lock(mutex_);
        leaves_ = true;
        wake_.notify_all();
        return wake_.wait_for(lock, abandoned_ ? milliseconds(0) : kAnswer + kWord, [this] { return over_; });
    }

private:
    void attend() {
        std::unique_lock lock(mutex_);
        while (!leaves_ || error_) {
            const std::optional<std::string> error = error_;
            lock.unlock();
            Result<bool> called = store_.has(kCalled);
            if (called && !*called && error) called = begin(*error);
            // A store that does not answer for a while is no error until this rank has failed.
            if (!called && error) return conclude(withoutHome());
            if (called.value_or(false)) return answer();
            lock.lock();
            wake_.wait_for(lock, kBetweenRollLooks, [&] { return leaves_ || error_ != error; });
        }
    }

    void conclude(LivenessResult end) {
        const std::lock_guard guard(mutex_);
        end_ = std::move(end);
        wake_.notify_all();
    }

    Result<bool> begin(const std::string& error) {
        DASGD_TRY(store_.set(kCalled, toText({.rank = rank_, .error = error})));
        return true;
    }

    // Rank 0 tells which of the others do not answer, and stays until those that do have read it.
    void answer() {
        Decision roll({store_, rank_, size_, kAnswer}, "roll", {.brief = true});
        const auto told = roll.reach("", [&]() -> Result<std::string> {
            std::vector<int> missing;
            for (int rank = 1; rank < size_; ++rank) {
                if (!roll.saidBy(rank)) missing.push_back(rank);
            }
            Word word = wordFrom(store_.get(kCalled).value_or(""));
            word.missing = missingInWords(missing);
            // A rank that finished calls as well, where it does not hear how the others ended; and who is missing may
            // have failed before.
            if (!word.error.empty()) {
                word.error = named(word.rank, hostOf(word.rank)) + (missing.empty() ? " failed first: " : " failed: ") +
                             word.error;
            }
            conclude(read(word));
            return toText(word);
        });
        if (rank_ != 0) conclude(told ? read(wordFrom(*told)) : withoutHome());
    }

    std::string missingInWords(const std::vector<int>& missing) {
        if (missing.empty()) return "";
        std::string names;
        for (std::size_t i = 0; i < std::min(missing.size(), kMostNamed); ++i) {
            names += (i > 0 ? ", " : "") + named(missing[i], hostOf(missing[i]));
        }
        if (missing.size() > kMostNamed) names += " and " + std::to_string(missing.size() - kMostNamed) + " more ranks";
        return names + (missing.size() == 1 ? " does not answer" : " do not answer");
    }

    std::string hostOf(int rank) {
        return store_.has(hostKey(rank)).value_or(false) ? store_.get(hostKey(rank)).value_or("an unknown host")
                                                         : "an unknown host";
    }

    [[nodiscard]] LivenessResult read(const Word& word) const {
        LivenessResult end{.text = word.missing, .allAnswer = word.missing.empty()};
        const std::string failed = word.rank == rank_ ? "" : word.error;
        if (!end.text.empty() && !failed.empty()) end.text += "; ";
        end.text += failed;
        return end;
    }
    [[nodiscard]] LivenessResult withoutHome() const {
        if (rank_ == 0) return {};
        return {.text = named(0, home_) + ", where the ranks meet, does not answer",
                .allAnswer = false,
                .rankZeroAnswers = false};
    }

    Rendezvous store_;  // of the thread
    const int rank_, size_;
    const std::string home_;
    std::mutex mutex_;
    std::condition_variable wake_;
    bool leaves_ = false, over_ = false, abandoned_ = false;  // guarded by mutex_, as the next two
    std::optional<std::string> error_;                        // of this rank, once it has failed
    std::optional<LivenessResult> end_;
};

LivenessCheck::LivenessCheck(std::shared_ptr<Work> work)
    : work_(std::move(work)), thread_([work = work_] { work->run(); }) {}

Result<LivenessCheck> LivenessCheck::open(Rendezvous& store, int rank, int size, const std::string& host) {
    DASGD_TRY(store.set(hostKey(rank), host));
    DASGD_ASSIGN(std::string home, store.get(hostKey(0)));
    DASGD_ASSIGN(auto own, store.another());
    return LivenessCheck(std::make_shared<Work>(std::move(own), rank, size, std::move(home)));
}

LivenessResult LivenessCheck::call(const std::string& error) { return work_->call(error); }

LivenessCheck::~LivenessCheck() {
    if (!work_) return;  // moved from
    if (work_->leave()) {
        thread_.join();
    } else {
        thread_.detach();
    }
}

}  // namespace dasgd::experiments
