// Words that `dasgd run --on` and `dasgd host-ranks` share: documents of JSON in frames (transport/pipe). Requests are
// {"do": WORD, …}; all but kStop and kEnd are answered by {"re": WORD, …}, with "error" where it went wrong. Besides,
// the host sends {"event": WORD, …}.
#pragma once

#include <chrono>

namespace dasgd::experiments {

inline constexpr const char* kHostCommand = "host-ranks";
inline constexpr int kHostProtocol = 4;

// Asks for version, build, address and workspace of the host.
inline constexpr const char* kHello = "hello";
// An experiment's text: what runs it makes.
inline constexpr const char* kCheck = "check";
// How a run that ended early goes on: with which experiment, from which run.
inline constexpr const char* kPlanResume = "go on";
// A port that is free on an address.
inline constexpr const char* kPort = "port";
// Starts this host's ranks of one run; answered once all are started.
inline constexpr const char* kStart = "start";
// Journals that a host still keeps of ended runs; rank 0's host takes them in; the others send them; which it has then.
inline constexpr const char* kJournals = "journals";
inline constexpr const char* kCollect = "collect";
inline constexpr const char* kForward = "forward";
inline constexpr const char* kCollected = "collected";
// All ranks of the run stop at one step; those of this host end at once.
inline constexpr const char* kStop = "stop";
inline constexpr const char* kEnd = "end";
// For `dasgd doctor --on`: its own findings, its time, a port to be reached at, and whether such a port can be reached.
inline constexpr const char* kDoctor = "doctor";
inline constexpr const char* kTime = "time";
inline constexpr const char* kListen = "listen";
inline constexpr const char* kReach = "reach";

inline constexpr const char* kProgressEvent = "progress";   // progress of rank 0 and the id of its run
inline constexpr const char* kEndedEvent = "ended";         // one rank, how
inline constexpr const char* kAllEndedEvent = "all ended";  // all ranks of this host have ended

// Each end says something every kAliveEvery, FrameType::Alive if nothing else; one that is silent for kMostSilence is
// gone.
inline constexpr std::chrono::seconds kAliveEvery{3};
inline constexpr std::chrono::seconds kMostSilence{30};
// One that takes nothing for so long is gone too.
inline constexpr std::chrono::seconds kWritePatience{10};
// For the launcher, once a rank of the run has failed: of a host that is cut off the others say so by then.
inline constexpr std::chrono::seconds kMostSilenceAfterFailure{10};
// For the first answers of all hosts together: hosts that have answered do not give up meanwhile.
inline constexpr std::chrono::seconds kHelloPatience{20};

}  // namespace dasgd::experiments
