// Permanently removes rights from the calling process, for parsing untrusted input with a library that is not hardened.
// No root is needed; a kernel or container that lacks one mechanism leaves the others.
//
// | mechanism | what the process may no longer do | since |
// | --- | --- | --- |
// | Landlock | change anything in any file system | Linux 5.13 |
// | seccomp | the same, and start programs, connect, signal or trace other processes | Linux 3.17 |
// | limits | use more memory than it is given, dump core; after forbidNewFiles() write to files, open a second one |
// all |
//
// Open descriptors stay open: a pipe to the parent can still be written, and files can be read.
#pragma once

#include <cstdint>

namespace dasgd::experiments {

// Bytes of address space beyond what the process has.
inline constexpr std::uint64_t kMoreMemory = std::uint64_t{2} << 30;

// Call it while the process has one thread. Each returns whether the mechanism is in force.
bool confineByLandlock();
bool confineByFilter();
bool confineByLimits(std::uint64_t moreMemory = kMoreMemory);

// All three.
void confine(std::uint64_t moreMemory = kMoreMemory);

// From now on files cannot grow, and only one more can be open at a time: a library that holds the file open that it
// reads cannot open another. Memory files count as files: write them before.
void forbidNewFiles();

}  // namespace dasgd::experiments
