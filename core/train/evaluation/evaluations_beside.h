// Evaluations beside training: a thread judges copies of the weights that a server has named, one after the other,
// while the server and its workers go on. They take processor time from a training on the same host, which no number
// leaves out; each records how long it took.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/event.h"
#include "core/train/evaluation/evaluation_board.h"

namespace dasgd {

// Owner: the training thread, which calls all functions.
class EvaluationsBeside {
public:
    // Weights to judge, as they were at the instant `at.wall`.
    struct Asked {
        Metric at;         // step, samples and bytes
        at::Tensor named;  // the weights, which nobody writes any more
        double trainedSeconds = 0;
    };
    struct Judged {
        Metric at;
        EvaluationReport report;
        double seconds = 0;  // time that the evaluation took
    };

    // `board` expects one rank for each evaluation; the thread alone uses it.
    explicit EvaluationsBeside(std::unique_ptr<EvaluationBoard> board);
    ~EvaluationsBeside();
    EvaluationsBeside(const EvaluationsBeside&) = delete;
    EvaluationsBeside& operator=(const EvaluationsBeside&) = delete;

    // True where kMostWaiting are still to be begun: whoever asks for more takes memory for one more copy.
    [[nodiscard]] bool isFull();
    void ask(Asked asked);
    // Evaluations that have ended since the last call, in order.
    [[nodiscard]] std::vector<Judged> takeEnded();
    // Rethrows the exception with which one failed; the thread has ended then.
    void rethrowFailure();
    // Waits until all have ended.
    void finish();

private:
    static constexpr std::size_t kMostWaiting = 2;
    void work();
    [[nodiscard]] Judged judged(const Asked& asked);

    std::unique_ptr<EvaluationBoard> board_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Asked> waiting_;  // guarded by mutex_, like all below
    std::vector<Judged> ended_;
    std::exception_ptr failed_;
    bool busy_ = false, closing_ = false;
    std::thread thread_;
};

}  // namespace dasgd
