// Loops over vectors for the processor at hand, where the program is compiled for any.
#pragma once

namespace dasgd {

#if defined(__x86_64__) && defined(__GNUC__)
template <class Work>
__attribute__((target("avx2"), flatten)) void onAvx2(Work work) {
    work();
}
#endif

// Calls `work`, compiled with AVX2 where the processor has it. All that it calls should be inline. Results are the same
// to the last bit: AVX2 has no fused multiply-add, and no order of additions changes. `work` is copied, so that the
// compiler sees that no store changes what it captured.
template <class Work>
void onWideVectors(const Work& work) {
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2")) {
        onAvx2(work);
        return;
    }
#endif
    work();
}

}  // namespace dasgd
