// Whoever asks this process for a stop: `dasgd stop` in its workspace, or a signal. The second Ctrl-C ends it.
#pragma once

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <optional>
#include <thread>

#include "core/base/control.h"
#include "core/base/result.h"
#include "experiments/base/errors.h"
#include "experiments/base/stop_signals.h"
#include "experiments/ranks/meeting/rank_environment.h"

namespace dasgd::experiments {

class StopRequests {
public:
    StopRequests(Result<RunControl> page, StopSignals& signals) {
        if (page) page_ = std::move(*page);
        std::thread([&signals, signalled = signalled_] {
            while (true) {
                pollfd wait{signals.fd(), POLLIN, 0};
                ::poll(&wait, 1, -1);
                const int count = signals.count();
                if (signals.mustEndNow()) ::_exit(kStopped);
                if (count > 0 && !signalled->exchange(true)) leaveSignalMark(processEnvironment);
            }
        }).detach();
    }
    [[nodiscard]] RunControl* page() { return page_ ? &*page_ : nullptr; }
    // Any thread.
    [[nodiscard]] bool any() const { return signalled_->load() || (page_ && page_->stopRequested()); }

private:
    std::shared_ptr<std::atomic<bool>> signalled_ = std::make_shared<std::atomic<bool>>(false);
    std::optional<RunControl> page_;
};

}  // namespace dasgd::experiments
