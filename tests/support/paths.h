// Paths of the tree under test and of its programs; "" for a program that this build does not make.
#pragma once

namespace dasgd::test {

extern const char* const kSourceDir;
extern const char* const kProgram;     // dasgd
extern const char* const kLabProgram;  // dasgd-lab
// dasgd with one backend more, `nccl_stand_in`, of stand-ins for NCCL and GPUs.
extern const char* const kStandInProgram;

}  // namespace dasgd::test
