// Python's own safetensors reads our files, and we read its. `./lab test` installs it into .deps/python.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>

#include "core/checkpoint/safetensors_writer.h"
#include "core/datasets/formats/file_mapping.h"
#include "tests/support/paths.h"
#include "tests/support/temp_dir.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PythonSafetensors : public ::testing::Test {
protected:
    void SetUp() override {
        if (!python("import safetensors")) GTEST_SKIP() << "Python's safetensors is not in .deps/python (./lab test)";
    }
    // Output of the script, errors included; nullopt if it fails.
    std::optional<std::string> python(const std::string& script) {
        const auto file = folder_.write("script.py", script);
        const std::string command = "PYTHONPATH=" + std::string(kSourceDir) + "/.deps/python /usr/bin/python3 " +
                                    file.string() + " " + (folder_ / "file").string() + " 2>&1";
        std::FILE* const pipe = ::popen(command.c_str(), "r");
        std::string text;
        std::array<char, 4096> part{};
        while (const std::size_t read = std::fread(part.data(), 1, part.size(), pipe)) text.append(part.data(), read);
        return ::pclose(pipe) == 0 ? std::optional(text) : std::nullopt;
    }
    TempDir folder_;
};

std::span<const unsigned char> rawOf(const auto& array) {
    return {reinterpret_cast<const unsigned char*>(array.data()), array.size() * sizeof(array[0])};
}

TEST_F(PythonSafetensors, ReadsOurs) {
    const std::vector<float> floats{1.5F, -2};
    const std::vector<std::int64_t> integers{7, -8};
    const std::vector<unsigned char> bytes{1, 2, 255}, scalar{9};
    ASSERT_TRUE(writeSafetensors(folder_ / "file",
                                 {{"b", "U8", {3}, rawOf(bytes)},
                                  {"f", "F32", {2, 1}, rawOf(floats)},
                                  {"i", "I64", {2}, rawOf(integers)},
                                  {"none", "F32", {0, 4}, {}},
                                  {"ü \"x\"", "U8", {}, rawOf(scalar)}},
                                 {{"step", "400"}}));
    const auto told = python(
        "import sys, safetensors\n"
        "for name, tensor in sorted(safetensors.deserialize(open(sys.argv[1], 'rb').read())):\n"
        "    print(ascii(name), tensor['dtype'], tensor['shape'], bytes(tensor['data']).hex())\n");
    EXPECT_EQ(told,
              "'b' U8 [3] 0102ff\n"
              "'f' F32 [2, 1] 0000c03f000000c0\n"
              "'i' I64 [2] 0700000000000000f8ffffffffffffff\n"
              "'none' F32 [0, 4] \n"
              "'\\xfc \"x\"' U8 [] 09\n");
}

TEST_F(PythonSafetensors, IsReadByUs) {
    ASSERT_TRUE(
        python("import sys, safetensors\n"
               "open(sys.argv[1], 'wb').write(safetensors.serialize({\n"
               "    'f': {'dtype': 'float32', 'shape': [2, 1], 'data': bytes.fromhex('0000c03f000000c0')},\n"
               "    'h': {'dtype': 'bfloat16', 'shape': [1], 'data': bytes.fromhex('c03f')},\n"
               "    'none': {'dtype': 'int64', 'shape': [0], 'data': b''},\n"
               "    'b': {'dtype': 'uint8', 'shape': [3], 'data': b'abc'}}, {'step': '400'}))\n"));
    const auto mapping = FileMapping::open(folder_ / "file");
    ASSERT_TRUE(mapping);
    const auto read = readSafetensors((*mapping)->bytes(), "file");
    ASSERT_TRUE(read) << read.error().message;
    std::map<std::string, StoredTensor> named;
    for (const StoredTensor& tensor : *read) named[tensor.name] = tensor;
    ASSERT_EQ(named.size(), 4U);
    EXPECT_EQ(named["f"].type, "F32");
    EXPECT_THAT(named["f"].shape, ElementsAre(2, 1));
    EXPECT_THAT(named["f"].bytes, ElementsAre(0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0));
    EXPECT_EQ(named["h"].type, "BF16");
    EXPECT_THAT(named["h"].bytes, ElementsAre(0xc0, 0x3f));
    EXPECT_TRUE(named["none"].bytes.empty());
    EXPECT_THAT(named["b"].bytes, ElementsAre('a', 'b', 'c'));
    const auto texts = readSafetensorsMetadata((*mapping)->bytes(), "file");
    ASSERT_TRUE(texts);
    EXPECT_EQ(texts->at("step"), "400");
}

// Both readers refuse files that the format forbids.
TEST_F(PythonSafetensors, RefusesWhatWeRefuse) {
    const auto header = [&](const std::string& text, const std::string& data) {
        std::string file;
        for (int shift = 0; shift < 64; shift += 8) file += static_cast<char>((text.size() >> shift) & 0xFF);
        folder_.write("file", file + text + data);
        const auto mapping = FileMapping::open(folder_ / "file");
        return readSafetensors((*mapping)->bytes(), "file").has_value();
    };
    const std::string read = "import sys, safetensors\nsafetensors.deserialize(open(sys.argv[1], 'rb').read())\n";
    const std::string x = R"("x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]})";
    EXPECT_TRUE(header("{" + x + "}", "ab"));
    EXPECT_TRUE(python(read));
    EXPECT_FALSE(header("{" + x + "}", "abc"));
    EXPECT_FALSE(python(read)) << "a byte of nobody";
    EXPECT_FALSE(header("{" + x + R"(,"y":{"dtype":"U8","shape":[1],"data_offsets":[3,4]}})", "abcd"));
    EXPECT_FALSE(python(read)) << "a gap";
    EXPECT_FALSE(header("{" + x + R"(,"y":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})", "abc"));
    EXPECT_FALSE(python(read)) << "overlap";
}

}  // namespace
}  // namespace dasgd::test
