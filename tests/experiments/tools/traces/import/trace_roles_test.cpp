#include "experiments/tools/traces/import/trace_roles.h"

#include <gtest/gtest.h>

namespace dasgd::experiments {
namespace {

using Is = SliceRole::Is;

TEST(TraceRolesTest, KnowsWhatPyTorchCallsThings) {
    const auto of = [](const char* name, const char* category) { return roleOf(TraceFormat::PyTorch, name, category); };
    EXPECT_EQ(of("ncclDevKernel_ReduceScatter_Sum_bf16", "kernel").kind, SpanKind::Transfer);
    EXPECT_EQ(of("ncclKernel_AllReduce", "Kernel").is, Is::Transfer) << "older versions write it so";
    EXPECT_EQ(of("void at::native::vectorized_elementwise_kernel<4>", "kernel").kind, SpanKind::Compute);
    EXPECT_EQ(of("ProfilerStep#1234", "user_annotation").step, 1234);
    EXPECT_EQ(of("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "user_annotation").kind,
              SpanKind::Data);
    EXPECT_EQ(of("Optimizer.step#SGD.step", "user_annotation").kind, SpanKind::Update);
    EXPECT_EQ(of("gloo:all_reduce", "user_annotation").is, Is::Work);
    EXPECT_EQ(of("c10d::allreduce_", "cpu_op").is, Is::Launch);
    EXPECT_EQ(of("nccl:all_reduce", "gpu_user_annotation").is, Is::LeftOut) << "its kernel is there";
    EXPECT_EQ(of("<built-in method>", "python_function").why, "slices of the category python_function");
}

TEST(TraceRolesTest, TakesOurOwnBackWithForeignNames) {
    const auto of = [](const char* name, const char* category) { return roleOf(TraceFormat::Ours, name, category); };
    EXPECT_EQ(of("window", "io").is, Is::Window);
    EXPECT_EQ(of("skew", "comm").kind, SpanKind::Skew);
    EXPECT_EQ(of("aten::mm", "compute/compute").kind, SpanKind::Compute);
    EXPECT_EQ(of("forward", "gpu").is, Is::LeftOut);
    EXPECT_EQ(of("fly", "compute").is, Is::LeftOut);
}

}  // namespace
}  // namespace dasgd::experiments
