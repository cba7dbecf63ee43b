#include "experiments/base/stop_signals.h"

#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>

#include "core/base/check.h"

namespace dasgd::experiments {

StopSignals::StopSignals(Repeats repeats) : repeats_(repeats) {
    sigset_t stop;
    sigemptyset(&stop);
    for (const int number : {SIGINT, SIGTERM, SIGUSR1, SIGUSR2}) sigaddset(&stop, number);
    ::pthread_sigmask(SIG_BLOCK, &stop, nullptr);
    ::signal(SIGHUP, SIG_IGN);
    ::signal(SIGPIPE, SIG_IGN);
    fd_ = Descriptor(::signalfd(-1, &stop, SFD_CLOEXEC | SFD_NONBLOCK));
    DASGD_CHECK(fd_);
}

int StopSignals::count() {
    signalfd_siginfo info{};
    while (::read(fd_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
        ++count_;
        const auto number = static_cast<int>(info.ssi_signo);
        if (number == SIGINT) {
            ++interrupts_;
        } else {
            terminatedBy_ = number;
        }
    }
    return repeats_ == Repeats::Ignore ? std::min(count_, 1) : count_;
}

bool StopSignals::mustEndNow() {
    static_cast<void>(count());
    return repeats_ == Repeats::Count && interrupts_ > 1;
}

std::string stopInWords(const StopSignals& signals, const std::string& error) {
    if (!signals.isTerminated()) return error;
    return std::string("ended by SIG") + ::sigabbrev_np(signals.terminatedBy()) + ", as what is preempted" +
           (error.empty() ? "" : "; ") + error;
}

}  // namespace dasgd::experiments
