#include "core/datasets/formats/safetensors_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/safetensors_files.h"

namespace dasgd {
namespace {

using test::safetensors;
using test::tensorEntry;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

Result<std::vector<StoredTensor>> read(const std::string& file) {
    return readSafetensors({reinterpret_cast<const unsigned char*>(file.data()), file.size()}, "a.safetensors");
}

TEST(ReadSafetensors, FindsTensorsWhereTheyLie) {
    const std::string file = safetensors(
        "{\"__metadata__\":{\"by\":\"test\"}," + tensorEntry("x", "F32", "[2,1]", 0, 8) + "," +
            tensorEntry("y", "U8", "[3]", 8, 11) + "," + tensorEntry("none", "I64", "[0,4]", 11, 11) + "}  ",
        "12345678abc");
    const auto tensors = read(file);
    ASSERT_TRUE(tensors) << tensors.error().message;
    ASSERT_EQ(tensors->size(), 3U);
    EXPECT_EQ((*tensors)[0].name, "none");
    EXPECT_THAT((*tensors)[0].bytes, IsEmpty());
    EXPECT_THAT((*tensors)[1].shape, ElementsAre(2, 1));
    EXPECT_EQ((*tensors)[1].type, "F32");
    EXPECT_THAT((*tensors)[2].bytes, ElementsAre('a', 'b', 'c'));
    EXPECT_EQ(reinterpret_cast<const char*>((*tensors)[2].bytes.data()), file.data() + file.size() - 3) << "not copied";
}

TEST(ReadSafetensors, ATensorOfATypeThatIsNotKnownHidesNoOther) {
    const std::string file = safetensors(
        "{" + tensorEntry("x", "F32", "[2]", 0, 8) + "," + tensorEntry("scale", "F8_E4M3", "[3]", 8, 11) + "," +
            tensorEntry("wave", "C64", "[1]", 11, 19) + "," + tensorEntry("small", "F4", "[4]", 19, 21) + "}",
        "12345678abc87654321AB");
    const auto tensors = read(file);
    ASSERT_TRUE(tensors) << tensors.error().message;
    ASSERT_EQ(tensors->size(), 4U);
    EXPECT_EQ((*tensors)[3].name, "x");
    EXPECT_EQ((*tensors)[0].type, "F8_E4M3");
    EXPECT_EQ((*tensors)[1].bytes.size(), 2U);
}

// A network of 40,000 tensors: the time must not grow with their square, which was half a minute.
TEST(ReadSafetensors, ReadsManyTensors) {
    std::string header;
    constexpr std::size_t kTensors = 40'000;
    for (std::size_t i = 0; i < kTensors; ++i) {
        header += (i == 0 ? "{" : ",") + tensorEntry("layers." + std::to_string(i), "U8", "[1]", i, i + 1);
    }
    const auto tensors = read(safetensors(header + "}", std::string(kTensors, 'x')));
    ASSERT_TRUE(tensors) << tensors.error().message;
    EXPECT_EQ(tensors->size(), kTensors);
}

struct WrongFile {
    std::string file, message;
};

class WrongSafetensors : public testing::TestWithParam<WrongFile> {};

TEST_P(WrongSafetensors, IsRefusedByName) {
    const auto tensors = read(GetParam().file);
    ASSERT_FALSE(tensors);
    EXPECT_THAT(tensors.error().message, StartsWith("a.safetensors: "));
    EXPECT_THAT(tensors.error().message, HasSubstr(GetParam().message));
}

std::string one(const std::string& entry, std::size_t bytes = 8) {
    return safetensors("{" + entry + "}", std::string(bytes, 'x'));
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongSafetensors,
    testing::Values(
        WrongFile{"1234567", "shorter than the 8 bytes"},
        WrongFile{std::string("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F{}", 10), "its header announces"},
        WrongFile{std::string("\x03\0\0\0\0\0\0\0{}", 10), "its header announces 3 bytes"},
        WrongFile{safetensors("[1]", ""), "no JSON object"}, WrongFile{safetensors("{\"x\"", ""), "no JSON object"},
        WrongFile{safetensors(std::string(100'000, '['), ""), "no JSON object"},
        WrongFile{one("\"x\":{\"dtype\":\"F32\"}"), "tensor 'x': it lacks"},
        WrongFile{one(tensorEntry("x", "F8", "[2]", 4, 12)), "lie outside the 8 bytes"},
        WrongFile{one(tensorEntry("x", "F32", "[3]", 0, 8)), "needs 12 bytes, and it has 8"},
        WrongFile{one(tensorEntry("x", "F32", "[2]", 4, 12)), "lie outside the 8 bytes"},
        WrongFile{one(tensorEntry("x", "F32", "[2]", 8, 0)), "lie outside"},
        WrongFile{one(tensorEntry("x", "F32", "[-2]", 0, 8)), "where a count is expected"},
        WrongFile{one(tensorEntry("x", "F32", "[2.0]", 0, 8)), "where a count is expected"},
        WrongFile{one(tensorEntry("x", "F32", "[" + std::string(10'000, '[') + std::string(10'000, ']') + "]", 0, 8)),
                  "where a count is expected"},
        // 2^32 · 2^32 · 4 is 0 in 64 bits.
        WrongFile{one(tensorEntry("x", "F32", "[4294967296,4294967296]", 0, 0)), "more elements than a file can hold"},
        WrongFile{one(tensorEntry("x", "U8", "[18446744073709551615]", 0, 8)), "more elements than a file can hold"},
        WrongFile{one(tensorEntry("x", "U8", "[5]", 0, 5) + "," + tensorEntry("y", "U8", "[4]", 4, 8)),
                  "the bytes of 'x' and 'y' overlap. Write the file anew"},
        WrongFile{one(tensorEntry("x", "U8", "[4]", 0, 4) + "," + tensorEntry("x", "U8", "[4]", 4, 8)),
                  "its header has 'x' twice"},
        WrongFile{one(tensorEntry("x", "U8", "[4]", 0, 4)), "bytes 4 to 8 behind the header belong to no tensor"},
        WrongFile{one(tensorEntry("x", "U8", "[4]", 4, 8)), "bytes 0 to 4 behind the header belong to no tensor"},
        WrongFile{one(tensorEntry("x", "U8", "[3]", 0, 3) + "," + tensorEntry("y", "U8", "[3]", 5, 8)),
                  "bytes 3 to 5 behind the header belong to no tensor"}));

TEST(SafetensorsMetadata, IsTextsByName) {
    const auto read = [](const std::string& header) {
        const std::string file = safetensors(header, "");
        return readSafetensorsMetadata({reinterpret_cast<const unsigned char*>(file.data()), file.size()}, "file");
    };
    EXPECT_EQ(read(R"({"__metadata__":{"a":"1","b":""}})").value(),
              (std::map<std::string, std::string>{{"a", "1"}, {"b", ""}}));
    EXPECT_TRUE(read("{}").value().empty());
    EXPECT_FALSE(read(R"({"__metadata__":{"a":1}})"));
    EXPECT_FALSE(read("no header"));
}

TEST(SafetensorsHeader, IsReadWithoutTheTensorsAndNotBeyondWhatIsThere) {
    const std::string file = one(tensorEntry("x", "U8", "[8]", 0, 8));
    const std::span bytes(reinterpret_cast<const unsigned char*>(file.data()), file.size());
    const std::size_t end = safetensorsHeaderEnd(bytes.first(kSafetensorsLengthBytes), file.size(), "file").value();
    // The copy ends with the header, so that the address sanitizer sees a byte too many.
    const std::vector<unsigned char> header(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(end));
    const SafetensorsHeader parsed = parseSafetensorsHeader(header, file.size(), "file").value();
    ASSERT_EQ(parsed.tensors.size(), 1U);
    EXPECT_EQ(parsed.tensors[0].begin, end);
    EXPECT_EQ(parsed.tensors[0].end, file.size());
    const std::vector<unsigned char> part(header.begin(), header.end() - 1);
    EXPECT_THAT(parseSafetensorsHeader(part, file.size(), "file").error().message, HasSubstr("were read"));
    EXPECT_FALSE(safetensorsHeaderEnd(bytes.first(7), 7, "file"));
}

}  // namespace
}  // namespace dasgd
