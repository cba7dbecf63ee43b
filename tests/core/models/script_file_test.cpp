// Files whose code does more than a network needs: refused before any of it runs.
#include "core/models/script_file.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <gmock/gmock.h>
#include <torch/csrc/jit/serialization/import.h>

#include "tests/support/script_modules.h"
#include "tests/support/temp_dir.h"

namespace dasgd::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::vector<std::pair<std::string, at::Tensor>> kWeights{{"weight", torch::ones({4, 6})}};
constexpr const char* kScriptedProduct = "    return x.flatten(1).matmul(self.weight.t())\n";

class ScriptFileTest : public ::testing::Test {
protected:
    // The code writes to victim(), and it is not there afterwards.
    void TearDown() override { EXPECT_FALSE(std::filesystem::exists(victim())); }
    [[nodiscard]] std::filesystem::path victim() const { return folder_ / "victim"; }
    [[nodiscard]] std::string saving(const std::string& value = "x") const {
        return "torch.save(" + value + ", \"" + victim().string() + "\")\n";
    }
    [[nodiscard]] std::filesystem::path saved(const torch::jit::Module& script) const {
        script.save((folder_ / "net.pt").string());
        return folder_ / "net.pt";
    }
    [[nodiscard]] std::string refusal(const torch::jit::Module& script) const {
        const auto file = ScriptFile::open(saved(script).string());
        return file ? "" : file.error().message;
    }
    [[nodiscard]] std::string refusalOfBody(const std::string& body) const {
        return refusal(scriptOf(kWeights, body + kScriptedProduct));
    }
    // A module whose forward() calls that of `inner`.
    static torch::jit::Module around(const torch::jit::Module& inner) {
        torch::jit::Module outer("__torch__.Outer");
        outer.register_module("inner", inner);
        outer.define("def forward(self, x):\n    return self.inner.forward(x)\n");
        return outer;
    }

    TempDir folder_;
};

TEST_F(ScriptFileTest, RefusesToSaveWhereverTheCallIs) {
    const auto refused =
        AllOf(HasSubstr("net.pt: aten::save, which __torch__."), HasSubstr("take the call out of the network"));
    EXPECT_THAT(refusalOfBody("    " + saving()), refused);
    EXPECT_THAT(refusalOfBody("    if self.training:\n        for i in range(3):\n            " + saving()), refused);
    EXPECT_THAT(refusal(around(scriptOf(kWeights, "    " + saving() + kScriptedProduct))), refused) << "in a submodule";
    torch::jit::Module other = scriptOf(kWeights, kScriptedProduct);
    other.define("def later(self, x):\n    " + saving() + "    return x\n");
    EXPECT_THAT(refusal(other), refused) << "in a method that forward does not call";
    torch::jit::Module calls("__torch__.Calls");
    calls.register_parameter("weight", torch::ones({4, 6}), false);
    calls.define("def helper(self, x):\n    " + saving() +
                 "    return x\ndef forward(self, x):\n    return self.helper(x)\n");
    EXPECT_THAT(refusal(calls), refused);
}

TEST_F(ScriptFileTest, RefusesToMapAFile) {
    EXPECT_THAT(refusalOfBody("    x = x + torch.from_file(\"" + victim().string() + "\", True, 64).sum()\n"),
                HasSubstr("aten::from_file, which"));
}

// LibTorch runs it while it reads the file.
TEST_F(ScriptFileTest, RefusesCodeThatRunsWhileItIsRead) {
    const auto restoring = [](const std::string& statement) {
        torch::jit::Module net = scriptOf(kWeights, kScriptedProduct);
        net.define("def __getstate__(self) -> Tuple[Tensor, bool]:\n    return (self.weight, self.training)\n");
        net.define("def __setstate__(self, state: Tuple[Tensor, bool]) -> None:\n    " + statement +
                   "    self.weight = state[0]\n    self.training = state[1]\n");
        return net;
    };
    for (const std::string& statement : {saving("state[0]"), std::string("pass\n")}) {
        EXPECT_THAT(refusal(restoring(statement)), HasSubstr("restores itself by code of its own, __setstate__"));
        EXPECT_THAT(refusal(around(restoring(statement))), HasSubstr("restores itself by code")) << "of a submodule";
    }
    // A control: reading such a file in LibTorch's own way does run it.
    static_cast<void>(torch::jit::load(saved(restoring(saving("state[0]"))).string()));
    EXPECT_TRUE(std::filesystem::remove(victim()));
}

TEST_F(ScriptFileTest, RefusesObjectsOfClassesInCpp) {
    const auto prepack = c10::Dispatcher::singleton().findSchemaOrThrow("quantized::linear_prepack", "");
    torch::jit::Stack stack{at::quantize_per_tensor(torch::ones({4, 6}), 1.0, 0, at::kQInt8), c10::IValue()};
    prepack.callBoxed(&stack);
    torch::jit::Module net = scriptOf(kWeights, kScriptedProduct);
    net.register_attribute("packed", stack[0].type(), stack[0]);
    EXPECT_THAT(refusal(net),
                HasSubstr("an object of a class that is written in C++, __torch__.torch.classes.quantized"));
}

TEST_F(ScriptFileTest, LoadsModulesOfTheirOwn) {
    const auto file = ScriptFile::open(saved(around(scriptOf(kWeights, kScriptedProduct))).string());
    ASSERT_TRUE(file) << file.error().message;
    // The open file counts, not what its name means later.
    std::filesystem::remove(folder_ / "net.pt");
    auto one = file->load(), other = file->load();
    ASSERT_TRUE(one && other);
    const at::NoGradGuard noGrad;
    one->parameters().begin().operator*().fill_(7);
    const at::Tensor x = torch::ones({1, 2, 3});
    EXPECT_TRUE(other->forward({x}).toTensor().equal(torch::full({1, 4}, 6.0)));
    EXPECT_TRUE(one->forward({x}).toTensor().equal(torch::full({1, 4}, 42.0)));
}

TEST_F(ScriptFileTest, ReadsCodeWithConstantsAndFunctions) {
    EXPECT_EQ(refusalOfBody("    shift = torch.tensor([0.5, 0.25])\n    if shift.sum() > 1.0:\n"
                            "        assert False\n    print(\"seen\", float(shift[0]))\n"),
              "");
}

}  // namespace
}  // namespace dasgd::test
