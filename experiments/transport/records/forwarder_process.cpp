#include "experiments/transport/records/forwarder_process.h"

#include <poll.h>

#include <optional>
#include <utility>

#include "core/base/log.h"
#include "storage/base/workspace.h"

namespace dasgd::experiments {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kGlance{20}, kPause{200};

bool isTaken(const std::filesystem::path& lock) {
    const auto taken = storage::FileLock::tryNow(lock, storage::FileLock::Kind::Exclusive);
    return taken && !*taken;
}

}  // namespace

// `begun`: the journal has been seen.
ChildProcess::Options ForwarderProcess::options(bool begun) const {
    ChildProcess::Options options{.program = task_.program,
                                  .arguments = {"forward", task_.runId, "--rank", std::to_string(task_.rank), "--to",
                                                task_.endpoint, "--workspace", task_.workspace.string()},
                                  .log = task_.log};
    if (begun) options.arguments.emplace_back("--begun");
    return options;
}

Result<std::unique_ptr<ForwarderProcess>> ForwarderProcess::start(Task task) {
    std::unique_ptr<ForwarderProcess> made(new ForwarderProcess(std::move(task)));
    DASGD_ASSIGN(ChildProcess first, ChildProcess::start(made->options(false)));
    made->id_ = first.id();
    made->thread_ =
        std::thread([own = made.get(), process = std::move(first)]() mutable { own->keep(std::move(process)); });
    return made;
}

void ForwarderProcess::keep(ChildProcess first) {
    std::optional<ChildProcess> process(std::move(first));
    const std::filesystem::path journal = storage::WorkspacePaths{task_.workspace}.journal(task_.runId, task_.rank);
    const std::filesystem::path lock = journal.string() + ".lock";
    bool said = false, begun = false;
    while (!stop_) {
        std::error_code ignored;
        begun = begun || std::filesystem::exists(journal, ignored);
        pollfd wait{process->pidFd(), POLLIN, 0};
        ::poll(&wait, 1, static_cast<int>(kGlance.count()));
        const auto exit = process->poll();
        if (!exit) continue;
        if (exit->signal == 0 && exit->code == 0) {
            delivered_ = true;
            return;
        }
        std::this_thread::sleep_for(kPause);
        // One that was told to take the journal over sends it now.
        if (isTaken(lock)) continue;
        auto again = ChildProcess::start(options(begun));
        if (!again) {
            if (!std::exchange(said, true)) logLine(LogLevel::Error, again.error().message);
            continue;
        }
        process.emplace(std::move(*again));
        id_ = process->id();
    }
    process->leaveAlone();
}

Status ForwarderProcess::awaitDelivery(milliseconds patience) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (!delivered_) {
        if (std::chrono::steady_clock::now() > until) {
            return fail("not all that rank " + std::to_string(task_.rank) + " recorded has reached the collector at " +
                        task_.endpoint + "; the journal in " + task_.workspace.string() + " keeps it, and process " +
                        std::to_string(id_) + " goes on sending");
        }
        std::this_thread::sleep_for(kGlance);
    }
    return {};
}

ForwarderProcess::~ForwarderProcess() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
}

}  // namespace dasgd::experiments
