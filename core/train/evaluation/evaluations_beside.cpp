#include "core/train/evaluation/evaluations_beside.h"

#include <chrono>
#include <exception>
#include <optional>
#include <utility>

namespace dasgd {

EvaluationsBeside::EvaluationsBeside(std::unique_ptr<EvaluationBoard> board)
    : board_(std::move(board)), thread_([this] { work(); }) {}

EvaluationsBeside::~EvaluationsBeside() {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
        waiting_.clear();
    }
    changed_.notify_all();
    thread_.join();
}

bool EvaluationsBeside::isFull() {
    const std::lock_guard lock(mutex_);
    return waiting_.size() >= kMostWaiting;
}

void EvaluationsBeside::ask(Asked asked) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(asked));
    changed_.notify_all();
}

std::vector<EvaluationsBeside::Judged> EvaluationsBeside::takeEnded() {
    const std::lock_guard lock(mutex_);
    return std::exchange(ended_, {});
}

void EvaluationsBeside::rethrowFailure() {
    const std::lock_guard lock(mutex_);
    if (failed_) std::rethrow_exception(failed_);
}

void EvaluationsBeside::finish() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return (waiting_.empty() && !busy_) || failed_; });
}

void EvaluationsBeside::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [&] { return closing_ || !waiting_.empty(); });
        if (closing_) return;
        const Asked asked = std::move(waiting_.front());
        waiting_.pop_front();
        busy_ = true;
        changed_.notify_all();
        lock.unlock();
        std::optional<Judged> judgement;
        std::exception_ptr error;
        try {
            judgement = judged(asked);
        } catch (...) {
            error = std::current_exception();
        }
        lock.lock();
        busy_ = false;
        if (judgement) ended_.push_back(std::move(*judgement));
        if (error) failed_ = error;
        changed_.notify_all();
        if (error) return;
    }
}

EvaluationsBeside::Judged EvaluationsBeside::judged(const Asked& asked) {
    const auto begun = std::chrono::steady_clock::now();
    Judged result{.at = asked.at};
    board_->depositNamed(asked.at.step, asked.at.wall, asked.named,
                         [&](const EvaluationReport& report, Ns) { result.report = report; });
    result.report.trainedSeconds = asked.trainedSeconds;
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    return result;
}

}  // namespace dasgd
