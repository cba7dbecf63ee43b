// The text of a TorchScript file is checked before LibTorch compiles it, which would run a part of it.
#include "core/models/script/script_source.h"

#include <gmock/gmock.h>
#include <torch/csrc/jit/frontend/source_range.h>

#include <string>
#include <utility>
#include <vector>

namespace dasgd::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

void checkText(const std::string& text) {
    checkSource(std::make_shared<torch::jit::Source>(text, "code/__torch__.py", 1));
}
std::string sourceRefusal(const std::string& text) {
    try {
        checkText(text);
    } catch (const RefusedCode& error) {
        return error.what();
    }
    return "";
}
std::string sourceRefusalOfConstant(const std::string& value) {
    return sourceRefusal("class Net(Module):\n  training : bool\n  k : Final[int] = " + value + "\n");
}
std::string sourceRefusalOfDefault(const std::string& value) {
    return sourceRefusal("def f(x: Tensor,\n    k: int=" + value + ") -> Tensor:\n  return x\n");
}

const std::vector<std::string> kPlainSources{"3",
                                             "-1",
                                             "1.0000000000000001e-05",
                                             "-0.",
                                             "inf",
                                             "-inf",
                                             "nan",
                                             "1.-2.j",
                                             "True",
                                             "False",
                                             "None",
                                             "\"a\\\"\\n\"",
                                             "()",
                                             "(1, (2., True), )",
                                             "[1, -2]",
                                             "{\"a\": [1]}",
                                             "annotate(List[Optional[int]], [])",
                                             "torch.device(\"cpu\")",
                                             "CONSTANTS.c0",
                                             "__torch__.Color.RED",
                                             "__torch__.nets.___torch_mangle_0.Color.RED"};

TEST(ScriptSource, TakesTheValuesThatPyTorchWrites) {
    for (const std::string& value : kPlainSources) {
        EXPECT_EQ(sourceRefusalOfConstant(value), "") << value;
        EXPECT_EQ(sourceRefusalOfDefault(value), "") << value;
    }
}

TEST(ScriptSource, TakesTheClassesThatPyTorchWrites) {
    EXPECT_EQ(sourceRefusal("op_version_set = 1\n"
                            "import __torch__.other\n"
                            "class Net(Module):\n"
                            "  __parameters__ = [\"weight\", ]\n"
                            "  __buffers__ = []\n"
                            "  __annotations__ = []\n"
                            "  __annotations__[\"0\"] = __torch__.torch.nn.modules.linear.Linear\n"
                            "  weight : Tensor\n"
                            "  size : Final[Tuple[int, int]] = (1, 2)\n"
                            "  def forward(self: __torch__.Net,\n"
                            "    x: Tensor,\n"
                            "    p: float=0.5) -> Tensor:\n"
                            "    y = torch.add(torch.abs(x), __torch__.helper(x, ))\n"
                            "    return y\n"
                            "class Pair(NamedTuple):\n"
                            "  first : Tensor\n"
                            "  second : int\n"
                            "class Color(Enum):\n"
                            "  RED = 1\n"
                            "class Layer(ModuleInterface):\n"
                            "  def forward(self, x: Tensor, q: int) -> Tensor:\n"
                            "    pass\n"
                            "def helper(x: Tensor) -> Tensor:\n"
                            "  return torch.neg(x)\n"),
              "");
}

TEST(ScriptSource, RefusesAValueThatIsComputed) {
    for (const std::string value : {"torch.save([1], \"victim\")",
                                    "__torch__.f()",
                                    "__torch__.C(1)",
                                    "[torch.seed()]",
                                    "(1, torch.seed())",
                                    "{\"a\": torch.seed()}",
                                    "{torch.seed(): 1}",
                                    "annotate(int, torch.seed())",
                                    "annotate(int, 1, k=torch.seed())",
                                    "torch.device(torch.seed())",
                                    "torch.device(\"cpu\", torch.seed())",
                                    "-__torch__.f()",
                                    "-CONSTANTS.c0",
                                    "1 + CONSTANTS.c0",
                                    "CONSTANTS.c0.value",
                                    "CONSTANTS.c0[0]",
                                    "torch.pi",
                                    "[torch.seed() for i in [1]]",
                                    "1 if torch.seed() else 2",
                                    "1 and 2",
                                    "not 1",
                                    "torch.seed()[0]",
                                    "x",
                                    "2 ** 3"}) {
        EXPECT_THAT(sourceRefusalOfConstant(value),
                    AllOf(StartsWith("code/__torch__.py:3:3: a value in class Net is code"), HasSubstr("in forward")))
            << value;
        EXPECT_THAT(sourceRefusalOfDefault(value), StartsWith("code/__torch__.py:2:")) << value;
    }
    EXPECT_THAT(sourceRefusalOfDefault("torch.seed()"), HasSubstr(": the default value of k is code, which would run"));
}

TEST(ScriptSource, RefusesItWhereverItStands) {
    const std::string saving = "k: int=torch.save([1], \"victim\")";
    const std::vector<std::pair<std::string, std::string>> sources{
        {"class Net(Module):\n  def f(self, " + saving + ") -> int:\n    return 1\n", "2:22: the default value of k"},
        {"class I(ModuleInterface):\n  def f(self, " + saving + ") -> int:\n    pass\n",
         "2:22: the default value of k"},
        {"def f(x: Tensor) -> int:\n  if True:\n    def g(" + saving + ") -> int:\n      return 1\n  return 1\n",
         "3:18: the default value of k"},
        {"def f(x: Tensor, *, " + saving + ") -> int:\n  return 1\n", "1:28: the default value of k"},
        // LibTorch 2.11 runs the type of a field with a default.
        {"class P(NamedTuple):\n  a : torch.save([1], \"victim\") = Tuple[()]\n", "2:3: a value in class P"},
        {"class P(NamedTuple):\n  a : torch.save([1], \"victim\") = 1\n", "2:3: a value in class P"},
        {"class C:\n  __annotations__ = torch.seed()\n", "2:3: a value in class C"},
        {"import __torch__.x\nclass E(Enum):\n  A = torch.seed()\n", "3:3: a value in class E"},
    };
    for (const auto& [text, place] : sources) {
        EXPECT_THAT(sourceRefusal(text), StartsWith("code/__torch__.py:" + place)) << text;
    }
}

// LibTorch does not read such a text either.
TEST(ScriptSource, ReadsNoOtherText) {
    for (const std::string text :
         {"torch.save([1], \"victim\")\n", "import x", "op_version_set = f()\n", "class C:\n"}) {
        EXPECT_ANY_THROW(checkText(text)) << text;
    }
}

}  // namespace
}  // namespace dasgd::test
