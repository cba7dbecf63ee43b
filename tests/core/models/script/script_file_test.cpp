// Files whose code does more than a network needs: refused before any of it runs.
#include "core/models/script/script_file.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <caffe2/serialize/inline_container.h>
#include <gmock/gmock.h>
#include <torch/csrc/jit/serialization/import.h>

#include <array>
#include <functional>

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
    // A file as saved() writes it, each of whose records was changed to what PyTorch would not write.
    [[nodiscard]] std::string changed(const std::function<void(const std::string&, std::string&)>& change) const {
        const std::string file = (folder_ / "edited.pt").string();
        caffe2::serialize::PyTorchStreamReader from(saved(scriptOf(kWeights, kScriptedProduct)).string());
        caffe2::serialize::PyTorchStreamWriter to(file);
        for (const std::string& name : from.getAllRecords()) {
            // The writer makes some records itself; those of positions in the text would be wrong.
            if (name == "version" || name.starts_with(".data/") || name.ends_with(".debug_pkl")) continue;
            const auto [data, size] = from.getRecord(name);
            std::string record(static_cast<const char*>(data.get()), size);
            change(name, record);
            to.writeRecord(name, record.data(), record.size());
        }
        to.writeEndOfFile();
        return file;
    }
    // A copy of the file that has `more` in the text of its code, behind `mark`, and `last` at the end.
    [[nodiscard]] std::string edited(const std::string& mark, const std::string& more,
                                     const std::string& last = "") const {
        return changed([&](const std::string& name, std::string& text) {
            if (!name.ends_with(".py")) return;
            const auto at = text.find(mark);
            ASSERT_NE(at, std::string::npos) << text;
            text.insert(at + mark.size(), more);
            text += last;
        });
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

// LibTorch runs it while it compiles, before the code can be looked at.
TEST_F(ScriptFileTest, RefusesCodeThatRunsWhileItIsCompiled) {
    const std::string value = "torch.save([1], \"" + victim().string() + "\")";
    const std::string attributes = "  training : bool\n", parameter = "x: Tensor", body = "-> Tensor:\n";
    const std::string nothing = "k: Tuple[()]=" + value;
    const std::vector<std::array<std::string, 3>> forms{
        {attributes, "  k : Final[Tuple[()]] = " + value + "\n", ""},
        {parameter, ",\n    " + nothing, ""},
        {body, "    _9 = __torch__.f()\n", "def f(" + nothing + ") -> int:\n  return 1\n"},
        {body, "    def g(" + nothing + ") -> int:\n      return 1\n", ""},
        {attributes, "  k : Final[int] = __torch__.f()\n", "def f() -> int:\n  _9 = " + value + "\n  return 1\n"},
        {attributes, "  k : Final[int] = -__torch__.C()\n",
         "class C:\n  def __init__(self) -> NoneType:\n    return None\n  def __neg__(self) -> int:\n    _9 = " +
             value + "\n    return 1\n"},
        {attributes, "  p : __torch__.P\n", "class P(NamedTuple):\n  a : " + value + " = Tuple[()]\n"},
        {attributes, "  p : __torch__.I\n",
         "class I(ModuleInterface):\n  def forward(self, " + nothing + ") -> Tensor:\n    pass\n"},
        {attributes,
         "  __forward_pre_hooks__ = [\"h\", ]\n  def h(self, input: Tuple[Tensor], " + nothing +
             ") -> NoneType:\n    return None\n",
         ""},
    };
    for (const auto& [mark, more, last] : forms) {
        const std::string path = edited(mark, more, last);
        const auto file = ScriptFile::open(path);
        ASSERT_FALSE(file) << more << last;
        EXPECT_THAT(file.error().message, AllOf(HasSubstr("edited.pt: code/__torch__.py:"),
                                                HasSubstr(" is code, which would run while the file is read")));
        EXPECT_FALSE(std::filesystem::exists(victim())) << more << last;
        // A control: reading such a file in LibTorch's own way does run it, whatever becomes of the file then.
        try {
            static_cast<void>(torch::jit::load(path));
        } catch (const std::exception&) {
        }
        EXPECT_TRUE(std::filesystem::remove(victim())) << more << last;
    }
}

TEST_F(ScriptFileTest, RefusesAHookThatSaves) {
    const std::string hook =
        "  __forward_pre_hooks__ = [\"h\", ]\n  def h(self, input: Tuple[Tensor]) -> NoneType:\n    _9 = " +
        saving("[1]") + "    return None\n";
    const auto file = ScriptFile::open(edited("  training : bool\n", hook));
    ASSERT_FALSE(file);
    EXPECT_THAT(file.error().message, HasSubstr("aten::save, which __torch__.Net.h calls"));
}

TEST_F(ScriptFileTest, ReadsConstantsAndDefaultsThatArePlainValues) {
    const std::string path =
        edited("  training : bool\n",
               "  k : Final[Tuple[int, float]] = (1, -inf)\n  d : Final[Device] = torch.device(\"cpu\")\n");
    const auto file = ScriptFile::open(path);
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_TRUE(file->load());
    const auto other = ScriptFile::open(edited("x: Tensor",
                                               ",\n    c: __torch__.Color=__torch__.Color.RED,\n    t: List[int]="
                                               "annotate(List[int], [])",
                                               "class Color(Enum):\n  RED = 1\n"));
    ASSERT_TRUE(other) << other.error().message;
    EXPECT_TRUE(other->load());
}

// LibTorch would compute with memory behind that of the tensor.
TEST_F(ScriptFileTest, RefusesTensorsOfWhichTheFileHoldsTooLittle) {
    const std::string sizes = "(K\x04K\x06t", strides = "(K\x06K\x01t", offset = "K" + std::string(1, '\0') + sizes;
    // Replaces text of the pickle by another of the same length.
    const auto pickled = [&](const std::string& from, const std::string& by) {
        return changed([&](const std::string& name, std::string& record) {
            if (name != "data.pkl") return;
            const auto at = record.find(from);
            ASSERT_NE(at, std::string::npos);
            record.replace(at, from.size(), by);
        });
    };
    const auto refused = [](const std::string& path) {
        const auto file = ScriptFile::open(path);
        return file ? "" : file.error().message;
    };
    EXPECT_THAT(refused(pickled(sizes, "(K\xc8K\xfat")), HasSubstr("it holds 96 bytes of a tensor of 200x250"));
    EXPECT_THAT(refused(pickled(strides, "(K\x07K\x01t")), HasSubstr("it holds 96 bytes of a tensor of 4x6"));
    EXPECT_THAT(refused(pickled(offset, "K\x01" + sizes)), HasSubstr("it holds 96 bytes of a tensor of 4x6"));
    EXPECT_THAT(refused(changed([](const std::string& name, std::string& record) {
                    if (name == "data/0") record.resize(95);
                })),
                HasSubstr("it holds 95 bytes of a tensor of 4x6, which is more"));
    EXPECT_EQ(refused(pickled(strides, "(K\x05K\x01t")), "") << "overlapping, within its bytes";
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
