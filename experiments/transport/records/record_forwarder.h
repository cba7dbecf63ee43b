// At another host than the collector's: sends what a rank records.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <string>

#include "core/base/result.h"
#include "experiments/transport/curve/run_secret.h"

namespace dasgd::experiments {

struct ForwardTask {
    std::filesystem::path journal;  // journal of the rank; it may appear later
    int rank = 0;
    std::string runId;
    std::string endpoint;                        // CurveServer::endpoint()
    std::chrono::milliseconds patience{60'000};  // longest time without an answer once no writer has the journal
    bool begun = false;                          // the journal was there before: where it is not, all of it was sent
};

// Follows the journal until its writer has ended and the collector has committed everything; then removes the journal.
// While the collector does not answer it tries again, and the journal keeps the records. The collector names the record
// that it wants next: so a restarted collector gets records again, and the records of a killed forwarder are not taken
// twice. Errors: the collector did not answer for `patience` before there was a journal or after
// its writer had ended; `stop` was set. The journal keeps what is not committed.
[[nodiscard]] Status forwardJournal(const ForwardTask& task, const RunSecret& secret, const std::atomic<bool>& stop);

}  // namespace dasgd::experiments
