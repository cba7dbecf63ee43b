#include "core/checkpoint/stored_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <sstream>

#include "core/checkpoint/safetensors_writer.h"
#include "tests/support/temp_dir.h"

namespace dasgd::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::vector<unsigned char> kContent{1, 2, 3, 4};

StoredTensor tensor(const std::string& name, const std::string& type, std::vector<std::int64_t> shape) {
    return {.name = name, .type = type, .shape = std::move(shape), .bytes = kContent};
}

std::filesystem::path writeWithDigest(const TempDir& dir) {
    const std::vector<StoredTensor> tensors{tensor("w", "F32", {1}), tensor("a", "U8", {4})};
    std::map<std::string, std::string> metadata{{"step", "40"}, {"run", "x"}};
    metadata[kContentDigest] = contentDigest(tensors, metadata);
    DASGD_CHECK(writeSafetensors(dir / "model", tensors, metadata).has_value());
    return dir / "model";
}

TEST(StoredFile, GivesTensorsTextsAndBytes) {
    const TempDir dir;
    const auto file = StoredFile::open(writeWithDigest(dir));
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_EQ(file->tensors().size(), 2U);
    EXPECT_EQ(file->metadata().at("step"), "40");
    std::array<unsigned char, 2> read{};
    ASSERT_TRUE(file->bytes().read(file->tensors()[1].begin + 2, read));
    EXPECT_EQ(read, (std::array<unsigned char, 2>{3, 4}));
    EXPECT_THAT(StoredFile::open(dir / "none").error().message, HasSubstr("none"));
    EXPECT_THAT(StoredFile::open(dir.write("short", "abc")).error().message, HasSubstr("shorter than the 8 bytes"));
}

// Every byte of the file, but for those of the digest itself, whose change is one of the content or of the format.
TEST(StoredFile, ContentThatWasAlteredIsFound) {
    const TempDir dir;
    const auto file = writeWithDigest(dir);
    ASSERT_TRUE(checkContent(file).value());
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    const std::string whole = text.str();
    const std::size_t header = whole.size() - 2 * kContent.size();
    int found = 0;
    for (std::size_t i = 0; i < whole.size(); ++i) {
        // Blanks behind the header fill it up to a multiple of eight and hold nothing.
        if (i < header && i >= 8 && whole[i] == ' ') continue;
        std::string altered = whole;
        altered[i] = static_cast<char>(altered[i] ^ 1);
        const auto checked = checkContent(dir.write("altered", altered));
        EXPECT_FALSE(checked && *checked) << "byte " << i << " of " << whole;
        found += checked ? 0 : 1;
    }
    EXPECT_GT(found, 100);
    const std::size_t step = whole.find("\"40\"");
    ASSERT_NE(step, std::string::npos);
    std::string altered = whole;
    altered[step + 1] = '5';
    EXPECT_THAT(checkContent(dir.write("altered", altered)).error().message,
                AllOf(HasSubstr("altered"), HasSubstr("SHA-256 of its content differs")));
}

TEST(StoredFile, TheDigestIsOfTheContentAndNotOfItsOrder) {
    const StoredTensor w = tensor("w", "F32", {1}), a = tensor("a", "U8", {4});
    const std::string digest = contentDigest({w, a}, {{"step", "1"}});
    EXPECT_EQ(contentDigest({a, w}, {{"step", "1"}}), digest);
    EXPECT_EQ(contentDigest({a, w}, {{"step", "1"}, {kContentDigest, "other"}}), digest);
    EXPECT_NE(contentDigest({a, w}, {{"step", "2"}}), digest);
    EXPECT_NE(contentDigest({a, tensor("w", "I32", {1})}, {{"step", "1"}}), digest);
    EXPECT_NE(contentDigest({tensor("a", "U8", {2, 2}), w}, {{"step", "1"}}), digest);
    EXPECT_NE(contentDigest({tensor("b", "U8", {4}), w}, {{"step", "1"}}), digest);
}

TEST(StoredFile, FilesWithoutADigestAreTold) {
    const TempDir dir;
    ASSERT_TRUE(writeSafetensors(dir / "model", {tensor("w", "F32", {1})}, {{"step", "4"}}));
    EXPECT_FALSE(checkContent(dir / "model").value());
    EXPECT_EQ(uncheckedRemark(dir / "model").find((dir / "model").string()), 0U);
}

}  // namespace
}  // namespace dasgd::test
