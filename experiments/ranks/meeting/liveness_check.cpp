#include "experiments/ranks/meeting/liveness_check.h"

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace dasgd::experiments {

namespace {

using std::chrono::milliseconds;
using Steady = std::chrono::steady_clock;

constexpr milliseconds kBetweenRollLooks{200}, kBetweenAnswers{50};
constexpr std::size_t kMostNamed = 8;
constexpr const char* kCalled = "roll/called";
constexpr const char* kMissing = "roll/missing";
constexpr const char* kTold = "roll/told";

std::string hostKey(int rank) { return "roll/host/" + std::to_string(rank); }
std::string hereKey(int rank) { return "roll/here/" + std::to_string(rank); }
std::string heardKey(int rank) { return "roll/heard/" + std::to_string(rank); }

// "2 the text", of a rank.
struct Word {
    int rank = -1;
    std::string text;
};
std::string toText(const Word& word) { return std::to_string(word.rank) + " " + word.text; }
Word wordFrom(const std::string& text) {
    Word word;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), word.rank);
    const auto length = static_cast<std::size_t>(read.ptr - text.data());
    word.text = text.substr(std::min(text.size(), length + 1));
    return word;
}

std::string named(int rank, const std::string& host) { return "rank " + std::to_string(rank) + " on " + host; }

}  // namespace

class LivenessCheck::Work {
public:
    Work(Rendezvous store, int rank, int size, std::string home)
        : store_(std::move(store)), rank_(rank), size_(size), home_(std::move(home)) {}

    void run() {
        const std::vector<int> readers = attend();
        // This process may serve the store: the others have read what it tells before it ends.
        await(readers, heardKey, kWord);
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
    // The ranks that are still to read what this one told.
    std::vector<int> attend() {
        std::unique_lock lock(mutex_);
        while (!leaves_ || error_) {
            const std::optional<std::string> error = error_;
            lock.unlock();
            Result<bool> called = store_.has(kCalled);
            if (called && !*called && error) called = begin(*error);
            // A store that does not answer for a while is no error until this rank has failed.
            if (!called && error) return conclude(withoutHome());
            if (called.value_or(false)) return rank_ == 0 ? tell() : conclude(hear());
            lock.lock();
            wake_.wait_for(lock, kBetweenRollLooks, [&] { return leaves_ || error_ != error; });
        }
        return {};
    }

    std::vector<int> conclude(LivenessResult end) {
        const std::lock_guard guard(mutex_);
        end_ = std::move(end);
        wake_.notify_all();
        return {};
    }

    Result<bool> begin(const std::string& error) {
        DASGD_TRY(store_.set(kCalled, toText({rank_, error})));
        return true;
    }

    // On rank 0: collects the answers and tells the others which ranks are missing.
    std::vector<int> tell() {
        std::vector<int> others;
        for (int rank = 1; rank < size_; ++rank) others.push_back(rank);
        const std::vector<int> missing = await(others, hereKey, kAnswer);
        const std::string names = missingInWords(missing);
        if (!missing.empty()) static_cast<void>(store_.set(kMissing, names));
        Word told = wordFrom(store_.get(kCalled).value_or(""));
        // A rank that finished calls the roll as well, where it does not hear how the others ended.
        if (!told.text.empty()) {
            // Who is missing may have failed before.
            told.text =
                named(told.rank, hostOf(told.rank)) + (missing.empty() ? " failed first: " : " failed: ") + told.text;
        }
        static_cast<void>(store_.set(kTold, toText(told)));
        conclude(read(told, names));
        std::erase_if(others, [&](int rank) { return std::ranges::find(missing, rank) != missing.end(); });
        return others;
    }

    // On the other ranks: answers rank 0 and waits for its list of missing ranks.
    LivenessResult hear() {
        static_cast<void>(store_.set(hereKey(rank_), "1"));
        const auto told = store_.get(kTold, kAnswer + kWord / 2);
        if (!told) return withoutHome();
        const bool all = !store_.has(kMissing).value_or(false);
        const std::string missing = all ? "" : store_.get(kMissing).value_or("another rank does not answer");
        static_cast<void>(store_.set(heardKey(rank_), "1"));
        return read(wordFrom(*told), missing);
    }

    // Those of the ranks that have not set their key in time.
    std::vector<int> await(std::vector<int> ranks, std::string (*keyOf)(int), milliseconds patience) {
        const auto until = Steady::now() + patience;
        while (true) {
            std::erase_if(ranks, [&](int rank) { return store_.has(keyOf(rank)).value_or(false); });
            if (ranks.empty() || Steady::now() >= until) return ranks;
            std::this_thread::sleep_for(kBetweenAnswers);
        }
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

    // `missing`: the ranks that do not answer, in words.
    [[nodiscard]] LivenessResult read(const Word& told, const std::string& missing) const {
        LivenessResult end{.text = missing, .allAnswer = missing.empty()};
        const std::string failed = told.rank == rank_ ? "" : told.text;
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
