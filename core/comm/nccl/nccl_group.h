// One communicator of NCCL: some ranks, each with a device. Made, used and closed without blocking beyond a deadline.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/comm/nccl/nccl_api.h"

namespace dasgd {

struct NcclGroupOptions {
    int rank = 0;
    int size = 1;
    std::chrono::milliseconds timeout{60'000};  // longest time of connecting, and of accepting one piece of work
    int channels = 0;                           // most channels; 0: NCCL chooses
};

// Thread-safe.
class NcclGroup {
public:
    // Blocks until all ranks are there, at most until the deadline. `id` is the same on all of them; `api` outlives the
    // group. Errors: ranks that did not come in time; NCCL's own.
    [[nodiscard]] static Result<std::shared_ptr<NcclGroup>> connect(const NcclApi& api, const NcclId& id,
                                                                    const NcclGroupOptions& options);
    // Closes the communicator unless it was aborted; waits for operations under way for 2 s at most.
    ~NcclGroup();
    NcclGroup(const NcclGroup&) = delete;
    NcclGroup& operator=(const NcclGroup&) = delete;

    // `calls` gives NCCL work in one group of calls, and answers the first error's number; it must not throw. Returns
    // when NCCL has put all of it on its stream. Throws CommError where it refuses or was aborted.
    void give(const std::function<int(const NcclApi& api, NcclHandle handle)>& calls);
    // Reports once what went wrong since the last call: another rank is gone, a network failed, work was refused. Does
    // not wait.
    [[nodiscard]] std::optional<std::string> asyncError();
    // Ends operations under way on the device. Nothing can be given any more.
    void abort();

private:
    NcclGroup(const NcclApi& api, NcclHandle handle, std::chrono::milliseconds timeout)
        : api_(api), handle_(handle), timeout_(timeout) {}

    const NcclApi& api_;
    std::mutex mutex_;
    NcclHandle handle_;  // null once it was aborted
    const std::chrono::milliseconds timeout_;
    std::optional<std::string> refused_;  // refusal that was not reported yet
};

}  // namespace dasgd
