#include "experiments/ranks/meeting/progress_wait.h"

#include <algorithm>
#include <thread>

namespace dasgd::experiments {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kFirstLook{5}, kLongestLook{100};
constexpr int kWordsOfTimeout = 8;  // of rank 0 to the others, at most

}  // namespace

Result<std::string> ProgressWait::get(const std::string& key) {
    auto until = steady_clock::now() + timeout_;
    for (milliseconds pause = kFirstLook;; pause = std::min(2 * pause, kLongestLook)) {
        DASGD_ASSIGN(const bool there, store_.has(key));
        if (there) return store_.get(key);
        const auto now = steady_clock::now();
        if (moves()) until = now + timeout_;
        if (now >= until) {
            return fail("'" + key + "' did not come, and nothing moved for " + std::to_string(timeout_.count()) +
                        " ms");
        }
        std::this_thread::sleep_for(pause);
    }
}

bool ProgressWait::moves() {
    if (rank_ != 0) {
        if (!store_.has(wordKey()).value_or(false)) return false;
        ++words_;
        return true;
    }
    const std::int64_t now = moved_ ? moved_() : seen_;
    if (now == seen_) return false;
    seen_ = now;
    if (steady_clock::now() - said_ >= timeout_ / kWordsOfTimeout && store_.set(wordKey(), "1")) {
        ++words_;
        said_ = steady_clock::now();
    }
    return true;
}

std::string ProgressWait::wordKey() const { return matter_ + "/goes-on/" + std::to_string(words_); }

}  // namespace dasgd::experiments
