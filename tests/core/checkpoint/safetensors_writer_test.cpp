#include "core/checkpoint/safetensors_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "core/datasets/formats/file_mapping.h"
#include "tests/support/temp_dir.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

std::span<const unsigned char> bytesOf(const auto& array) {
    return {reinterpret_cast<const unsigned char*>(array.data()), array.size() * sizeof(array[0])};
}

TEST(SafetensorsWriter, KeepsTypesShapesValuesAndTexts) {
    const TempDir folder;
    const std::vector<float> floats{1.5F, -2, 3};
    const std::vector<std::int64_t> integers{7, -8}, scalar{9};
    const std::vector<unsigned char> bytes{1, 2, 3};
    ASSERT_TRUE(writeSafetensors(folder / "file",
                                 {{"b", "U8", {3}, bytesOf(bytes)},
                                  {"f", "F32", {3, 1}, bytesOf(floats)},
                                  {"i", "I64", {2}, bytesOf(integers)},
                                  {"none", "F32", {0, 4}, {}},
                                  {"scalar", "I64", {}, bytesOf(scalar)}},
                                 {{"step", "400"}, {"name", "quoted \"and\" ü"}}));
    const auto mapping = FileMapping::open(folder / "file");
    ASSERT_TRUE(mapping);
    const auto read = readSafetensors((*mapping)->bytes(), "file");
    ASSERT_TRUE(read) << read.error().message;
    ASSERT_EQ(read->size(), 5U);
    for (const StoredTensor& tensor : *read) {
        const auto offset = static_cast<std::size_t>(tensor.bytes.data() - (*mapping)->bytes().data());
        const std::size_t alignment = tensor.type == "I64" ? 8 : tensor.type == "F32" ? 4 : 1;
        if (tensor.bytes.empty()) continue;
        EXPECT_EQ(offset % alignment, 0U) << tensor.name;
    }
    const auto named = [&](const std::string& name) { return *std::ranges::find(*read, name, &StoredTensor::name); };
    EXPECT_THAT(named("f").shape, ElementsAre(3, 1));
    EXPECT_EQ(std::memcmp(named("f").bytes.data(), floats.data(), 12), 0);
    EXPECT_EQ(named("scalar").bytes[0], 9);
    EXPECT_TRUE(named("none").bytes.empty());
    const auto texts = readSafetensorsMetadata((*mapping)->bytes(), "file");
    ASSERT_TRUE(texts);
    EXPECT_THAT(*texts, ElementsAre(Pair("name", "quoted \"and\" ü"), Pair("step", "400")));
}

}  // namespace
}  // namespace dasgd::test
