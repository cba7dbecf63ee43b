#include "core/comm/nccl/nccl_group.h"

#include <thread>
#include <utility>

#include "core/comm/pending.h"

namespace dasgd {

using std::chrono::milliseconds;

namespace {

using Instant = std::chrono::steady_clock::time_point;

constexpr std::chrono::microseconds kAskEvery{50};
constexpr std::chrono::microseconds kAskAtOnce{200};
constexpr milliseconds kCloseWithin{2000};

// NCCL's text for an error, with the details that it adds.
std::string ncclErrorText(const NcclApi& api, NcclHandle handle, int error) {
    std::string text = std::string("NCCL: ") + api.errorText(error);
    const char* more = api.lastError(handle);
    if (more && *more != '\0') text.append(": ").append(more);
    return text;
}

// Waits until `last` for the operation in progress; returns its state, kInProgress where it has not ended by then.
int endOf(const NcclApi& api, NcclHandle handle, Instant last) {
    const Instant began = std::chrono::steady_clock::now();
    while (true) {
        int state = NcclApi::kInProgress;
        if (const int error = api.commAsyncError(handle, &state); error != NcclApi::kSuccess) return error;
        const Instant now = std::chrono::steady_clock::now();
        if (state != NcclApi::kInProgress || now >= last) return state;
        // A collective is on its stream within some ten microseconds; a sleep takes longer than that.
        if (now - began < kAskAtOnce) {
            std::this_thread::yield();
        } else {
            std::this_thread::sleep_for(kAskEvery);
        }
    }
}

std::string within(milliseconds time) {
    return std::string(" within ").append(std::to_string(time.count())).append(" ms");
}

}  // namespace

Result<std::shared_ptr<NcclGroup>> NcclGroup::connect(const NcclApi& api, const NcclId& id,
                                                      const NcclGroupOptions& options) {
    NcclConfig config;
    config.blocking = 0;
    if (options.channels > 0) config.maxCtas = options.channels;
    NcclHandle handle = nullptr;
    const Instant last = std::chrono::steady_clock::now() + options.timeout;
    int state = api.commInit(&handle, options.size, id, options.rank, &config);
    if (state == NcclApi::kInProgress) state = endOf(api, handle, last);
    if (state == NcclApi::kSuccess) return std::shared_ptr<NcclGroup>(new NcclGroup(api, handle, options.timeout));
    std::string why = std::string("the ")
                          .append(std::to_string(options.size))
                          .append(" ranks did not connect")
                          .append(within(options.timeout));
    if (state != NcclApi::kInProgress) why = ncclErrorText(api, handle, state);
    if (handle) api.commAbort(handle);
    return fail(std::move(why));
}

NcclGroup::~NcclGroup() {
    if (!handle_) return;
    int state = api_.commFinalize(handle_);
    if (state == NcclApi::kInProgress) state = endOf(api_, handle_, std::chrono::steady_clock::now() + kCloseWithin);
    if (state == NcclApi::kSuccess) {
        api_.commDestroy(handle_);
    } else {
        api_.commAbort(handle_);
    }
}

void NcclGroup::give(const std::function<int(const NcclApi&, NcclHandle)>& calls) {
    const std::lock_guard lock(mutex_);
    if (!handle_) throw CommError("its NCCL communicator was aborted");
    const auto good = [](int state) { return state == NcclApi::kSuccess || state == NcclApi::kInProgress; };
    int state = api_.groupStart();
    if (good(state)) {
        state = calls(api_, handle_);
        const int ended = api_.groupEnd();
        if (good(state)) state = ended;
    }
    // Events that follow must not reach the stream before this work.
    if (state == NcclApi::kInProgress) state = endOf(api_, handle_, std::chrono::steady_clock::now() + timeout_);
    if (state == NcclApi::kSuccess) return;
    refused_ = state == NcclApi::kInProgress ? std::string("NCCL did not take it").append(within(timeout_))
                                             : ncclErrorText(api_, handle_, state);
    throw CommError(*refused_);
}

std::optional<std::string> NcclGroup::asyncError() {
    // Where the lock is taken, another thread is giving NCCL work and will get the error.
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock || !handle_) return std::nullopt;
    if (refused_) return std::exchange(refused_, std::nullopt);
    int state = NcclApi::kSuccess;
    const int error = api_.commAsyncError(handle_, &state);
    if (error != NcclApi::kSuccess) return ncclErrorText(api_, handle_, error);
    if (state == NcclApi::kSuccess || state == NcclApi::kInProgress) return std::nullopt;
    return ncclErrorText(api_, handle_, state);
}

void NcclGroup::abort() {
    const std::lock_guard lock(mutex_);
    if (NcclHandle handle = std::exchange(handle_, nullptr)) api_.commAbort(handle);
}

}  // namespace dasgd
