#include "core/comm/nccl/nccl_library.h"

#include "core/device/shared_library.h"

namespace dasgd {

namespace {

constexpr int kOldest = 21800, kOldestThatSharesADevice = 23000;

}  // namespace

std::string ncclVersionText(int version) {
    return std::to_string(version / 10000)
        .append(".")
        .append(std::to_string(version % 10000 / 100))
        .append(".")
        .append(std::to_string(version % 100));
}

Result<NcclApi> loadNccl(const std::string& library) {
    auto opened = SharedLibrary::open(library);
    if (!opened) {
        return fail(std::string("NCCL cannot be loaded (") + opened.error().message +
                    "). It comes with LibTorch's CUDA dependencies, or by pip install nvidia-nccl-cu13.");
    }
    NcclApi api;
    opened->take(api.version, "ncclGetVersion");
    opened->take(api.errorText, "ncclGetErrorString");
    opened->take(api.lastError, "ncclGetLastError");
    opened->take(api.makeId, "ncclGetUniqueId");
    opened->take(api.commInit, "ncclCommInitRankConfig");
    opened->take(api.commAsyncError, "ncclCommGetAsyncError");
    opened->take(api.commFinalize, "ncclCommFinalize");
    opened->take(api.commDestroy, "ncclCommDestroy");
    opened->take(api.commAbort, "ncclCommAbort");
    opened->take(api.groupStart, "ncclGroupStart");
    opened->take(api.groupEnd, "ncclGroupEnd");
    opened->take(api.allReduce, "ncclAllReduce");
    opened->take(api.reduceScatter, "ncclReduceScatter");
    opened->take(api.allGather, "ncclAllGather");
    opened->take(api.broadcast, "ncclBroadcast");
    opened->take(api.send, "ncclSend");
    opened->take(api.receive, "ncclRecv");
    if (opened->missing().empty()) return api;
    return fail(library + " is no NCCL that can be used: it has no " + opened->missing() +
                ". 2.18 or newer is needed.");
}

Status checkNccl(const NcclApi& api, int ranksPerDevice) {
    int version = 0;
    if (const int error = api.version(&version); error != NcclApi::kSuccess) {
        return fail(std::string("NCCL does not tell its version: ") + api.errorText(error));
    }
    const std::string found = std::string("NCCL is ").append(ncclVersionText(version));
    if (version < kOldest) {
        return fail(found + "; needed is " + ncclVersionText(kOldest) + " or newer: pip install nvidia-nccl-cu13");
    }
    if (ranksPerDevice > 1 && version < kOldestThatSharesADevice) {
        return fail(found + " and has one rank a GPU at most, but " + std::to_string(ranksPerDevice) +
                    " ranks would share one: use as many GPUs as workers, or NCCL " +
                    ncclVersionText(kOldestThatSharesADevice) + " or newer (pip install nvidia-nccl-cu13)");
    }
    return {};
}

}  // namespace dasgd
