// The functions of NCCL that are used, as a table: filled from its library at run time, or by a stand-in in tests.
//
// Names and numbers are NCCL's own (NCCL documentation, "NCCL API"), so that neither its header nor CUDA's is needed;
// tests/core/comm/nccl/nccl_api_test.cpp compares them with the header where there is one. Functions answer kSuccess,
// an error's number, or kInProgress: the work continues, and commAsyncError gives its result.
#pragma once

#include <climits>
#include <cstddef>
#include <functional>

#include "core/device/device_api.h"

struct ncclComm;

namespace dasgd {

using NcclHandle = ncclComm*;

// Identifier by which the ranks of one communicator find each other.
struct NcclId {
    char bytes[128];
};

// The first fields of NCCL's own struct, which are all that NCCL 2.18 has; later versions tell by `size` which are
// there.
struct NcclConfig {
    static constexpr int kUndefined = INT_MIN;
    std::size_t size = sizeof(NcclConfig);
    unsigned int magic = 0xcafebeef;
    unsigned int version = 21800;
    int blocking = kUndefined;
    int cgaClusterSize = kUndefined;
    int minCtas = kUndefined;  // "CTAs": NCCL's channels, a block of a kernel each
    int maxCtas = kUndefined;
    const char* netName = nullptr;
    int splitShare = kUndefined;
};

struct NcclApi {
    static constexpr int kSuccess = 0;
    static constexpr int kSystemError = 2;
    static constexpr int kInvalidArgument = 4;
    static constexpr int kRemoteError = 6;
    static constexpr int kInProgress = 7;
    enum Op : int { kSum = 0, kMax = 2, kMean = 4 };
    enum Type : int {
        kInt8 = 0,
        kUint8 = 1,
        kInt32 = 2,
        kInt64 = 4,
        kHalf = 6,
        kFloat = 7,
        kDouble = 8,
        kBfloat16 = 9
    };

    std::function<int(int* version)> version;  // 22809 is 2.28.9
    std::function<const char*(int error)> errorText;
    std::function<const char*(NcclHandle)> lastError;  // last error of a communicator or, without one, of the process
    std::function<int(NcclId*)> makeId;
    std::function<int(NcclHandle*, int ranks, NcclId, int rank, NcclConfig*)> commInit;
    std::function<int(NcclHandle, int* state)> commAsyncError;
    std::function<int(NcclHandle)> commFinalize;
    std::function<int(NcclHandle)> commDestroy;
    std::function<int(NcclHandle)> commAbort;  // ends the kernels that are under way, and frees the communicator
    std::function<int()> groupStart;
    std::function<int()> groupEnd;
    std::function<int(const void* in, void* out, std::size_t count, int type, int op, NcclHandle, StreamHandle)>
        allReduce;
    // `count`: elements of `out`.
    std::function<int(const void* in, void* out, std::size_t count, int type, int op, NcclHandle, StreamHandle)>
        reduceScatter;
    // `count`: elements of `in`.
    std::function<int(const void* in, void* out, std::size_t count, int type, NcclHandle, StreamHandle)> allGather;
    std::function<int(const void* in, void* out, std::size_t count, int type, int root, NcclHandle, StreamHandle)>
        broadcast;
    std::function<int(const void* in, std::size_t count, int type, int to, NcclHandle, StreamHandle)> send;
    std::function<int(void* out, std::size_t count, int type, int from, NcclHandle, StreamHandle)> receive;
};

}  // namespace dasgd
