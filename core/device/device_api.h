// The calls of the CUDA runtime that are used, as a table: filled from its library at run time, or by a model of a
// device in tests. No function of it blocks the host until the device has reached some point.
//
// Handles and numbers are CUDA's own (CUDA Runtime API, "Device", "Stream" and "Event Management"), so that no header
// of CUDA is needed. Every function answers kSuccess or an error's number, and may be called from any thread.
#pragma once

#include <functional>

struct CUstream_st;
struct CUevent_st;

namespace dasgd {

using StreamHandle = CUstream_st*;  // null: the default stream, LibTorch's own unless told otherwise
using EventHandle = CUevent_st*;

// The first fields of CUDA's own struct (cudaDeviceProp), with room for the rest of it.
struct DeviceProperties {
    char name[256];
    char uuid[16];
    char rest[8192];
};

struct DeviceApi {
    static constexpr int kSuccess = 0;
    static constexpr int kInsufficientDriver = 35;
    static constexpr int kNoDevice = 100;
    static constexpr int kNotReady = 600;
    static constexpr unsigned kNonBlockingStream = 1;  // does not wait for the default stream by itself

    std::function<int(int* version)> driverVersion;  // 13000 is 13.0; 0: no driver
    std::function<int(int* version)> runtimeVersion;
    std::function<int(int* count)> deviceCount;
    std::function<int(DeviceProperties*, int device)> properties;
    std::function<int(int device)> setDevice;                        // sets the device of the calling thread
    std::function<int(int* least, int* greatest)> streamPriorities;  // greatest <= least
    std::function<int(StreamHandle*, unsigned flags, int priority)> streamCreate;
    std::function<int(StreamHandle)> streamDestroy;                                 // its work is still completed
    std::function<int(StreamHandle, EventHandle, unsigned flags)> streamWaitEvent;  // waits for the newest record
    std::function<int(EventHandle*, unsigned flags)> eventCreate;
    std::function<int(EventHandle)> eventDestroy;
    std::function<int(EventHandle, StreamHandle)> eventRecord;
    std::function<int(EventHandle)> eventQuery;  // kNotReady: the stream is not there yet
    std::function<int(float* ms, EventHandle from, EventHandle to)> eventElapsed;  // kNotReady: one has not passed
    std::function<const char*(int error)> errorText;
    std::function<int()> takeError;  // the calling thread's last one, which is forgotten then
};

}  // namespace dasgd
