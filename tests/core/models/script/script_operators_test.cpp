// The operators that a network may use, against what LibTorch has.
#include "core/models/script/script_operators.h"

#include <gtest/gtest.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <set>

namespace dasgd::test {
namespace {

TEST(ScriptOperators, NamesNothingThatTakesAFileOrStartsWork) {
    std::set<std::string> namesFiles;
    for (const auto& each : torch::jit::getAllOperators()) {
        for (const auto& argument : each->schema().arguments()) {
            if (argument.name().find("file") != std::string::npos) namesFiles.insert(each->schema().name());
        }
    }
    ASSERT_TRUE(namesFiles.contains("aten::save") && namesFiles.contains("aten::from_file"));
    for (const std::string& name : namesFiles) EXPECT_FALSE(isAllowedOperator(name)) << name;
    for (const char* name :
         {"prim::fork", "prim::rpc_async", "aten::wait", "aten::set_", "aten::resize_", "aten::manual_seed",
          "c10d::allreduce_", "quantized::linear_prepack", "aten::unheard_of"}) {
        EXPECT_FALSE(isAllowedOperator(name)) << name;
    }
}

// A name that LibTorch does not have allows nothing, and may be one that is spelt wrongly.
TEST(ScriptOperators, NamesWhatNetworksUse) {
    for (const char* name :
         {"aten::matmul", "aten::linear", "aten::convolution", "aten::batch_norm", "aten::lstm", "aten::embedding",
          "aten::scaled_dot_product_attention", "aten::dropout", "aten::warn", "prim::If", "prim::Loop",
          "prim::SetAttr", "prim::CallMethod", "prim::Print", "prim::RaiseException"}) {
        EXPECT_TRUE(isAllowedOperator(name)) << name;
    }
    std::set<std::string> known;
    for (const auto& each : torch::jit::getAllOperators()) known.insert(each->schema().name());
    for (const std::string& name : allowedOperators()) {
        EXPECT_TRUE(name.starts_with("prim::") || known.contains(name)) << name;
    }
}

}  // namespace
}  // namespace dasgd::test
