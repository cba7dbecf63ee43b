// Loops over vectors for the processor at hand, where the program is compiled for any.
#pragma once

namespace dasgd {

#if defined(__x86_64__) && defined(__GNUC__)
template <class Work>
__attribute__((target("avx2"), flatten)) void onAvx2(Work work) {
    work();
}

template <class Work>
__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,prefer-vector-width=512"), flatten)) void onAvx512(
    Work work) {
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

// Calls `work` like onWideVectors(), compiled with AVX-512 where the processor has it. Precondition: `work` adds
// nothing to a product, which AVX-512 would round once in place of twice.
template <class Work>
void onWidestVectors(const Work& work) {
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl")) {
        onAvx512(work);
        return;
    }
#endif
    onWideVectors(work);
}

}  // namespace dasgd
