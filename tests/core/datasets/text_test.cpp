#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "core/datasets/dataset.h"
#include "tests/support/document.h"
#include "tests/support/idx_files.h"

namespace dasgd {
namespace {

using test::Fields;
using test::gzip;
using test::integer;
using test::number;
using test::table;
using test::TempDir;
using test::text;
using testing::HasSubstr;
using testing::StartsWith;

const InputSpec kCharacters{.shape = {4}, .classes = 128, .task = Task::kLanguage};

Result<Splits> loadText(Fields fields, const InputSpec& natural = kCharacters) {
    return DatasetRegistry::find("text")->create(table(std::move(fields)), {}).value()->load(natural);
}

TEST(TextTest, CharactersAreNumberedByThoseThatOccur) {
    const TempDir folder;
    const auto path = folder
                          .write("a.txt",
                                 "b\xC3\xA9"
                                 "ab\xC3\xA9"
                                 "aab\xE2\x82\xAC"
                                 "a")
                          .string();  // béabéaab€a
    const auto splits = loadText({{"path", text(path)}, {"length", integer(3)}, {"test_fraction", number(0.3)}},
                                 {.shape = {4}, .classes = 2, .task = Task::kLanguage});
    ASSERT_FALSE(splits) << "three characters are too few to test with";
    const Splits longer =
        loadText({{"path", text(path)}, {"length", integer(2)}, {"test_fraction", number(0.3)}}).value();
    EXPECT_EQ(longer.input.classes, 4) << "a, b, é, €";
    EXPECT_EQ(longer.input.shape, (std::vector<std::int64_t>{2}));
    EXPECT_EQ(longer.input.task, Task::kLanguage);
    EXPECT_EQ(longer.train.inputs.scalar_type(), torch::kByte);
    const Batch batch = makeBatch(longer.train, torch::arange(longer.train.count(), torch::kInt64), torch::kFloat);
    EXPECT_TRUE(batch.inputs.equal(torch::tensor({{1, 2}, {0, 1}, {2, 0}}, torch::kInt64)));
    EXPECT_TRUE(batch.targets.equal(torch::tensor({{2, 0}, {1, 2}, {0, 0}}, torch::kInt64)));
    EXPECT_TRUE(longer.test.inputs.to(torch::kLong).equal(torch::tensor({{1, 3}}, torch::kInt64)));
}

TEST(TextTest, AByteOrderMarkIsNoCharacter) {
    const TempDir folder;
    const auto classes = [&](const std::string& content, const char* tokens) {
        const std::string path = folder.write("a.txt", content).string();
        return loadText({{"path", text(path)}, {"length", integer(2)}, {"tokens", text(tokens)}})->input.classes;
    };
    const std::string letters = "abababababababababababababababab", mark = "\xEF\xBB\xBF";
    EXPECT_EQ(classes(mark + letters, "characters"), 2);
    EXPECT_EQ(classes(letters + mark, "characters"), 3) << "anywhere else it is one";
}

TEST(TextTest, MoreThan256CharactersTakeWiderTokens) {
    std::string characters;
    for (int code = 0x100; code < 0x300; ++code) {
        characters += static_cast<char>(0xC0 | code >> 6);
        characters += static_cast<char>(0x80 | (code & 0x3F));
    }
    const TempDir folder;
    const Splits splits = loadText({{"path", text(folder.write("a.txt", characters).string())}}).value();
    EXPECT_EQ(splits.input.classes, 512);
    EXPECT_EQ(splits.train.inputs.max().item<std::int64_t>(), splits.train.count() * 4 - 1) << "one after the other";
}

TEST(TextTest, TheProseThatShipsIsRead) {
    const auto splits = loadText({});
    ASSERT_TRUE(splits) << splits.error().message;
    EXPECT_EQ(splits->input.classes, 62);
    EXPECT_EQ(splits->train.count(), (1'199'927 - 119'993 - 1) / 4);
    EXPECT_EQ(splits->test.count(), (119'993 - 1) / 4);
    EXPECT_TRUE(splits->train.continuous);
    EXPECT_TRUE(DatasetRegistry::find("text")->create(Value(), {}).value()->isContinuous(kCharacters));
}

TEST(TextTest, WhatIsNotUtf8IsRefusedAndReadAsBytes) {
    const TempDir folder;
    const std::string latin = std::string(20, 'x') + "\ncaf\xE9 au lait, caf\xE9 cr\xE8me";
    for (const std::string& content : {latin, gzip(latin)}) {
        const std::string path = folder.write("latin.txt", content).string();
        const auto refused = loadText({{"path", text(path)}});
        ASSERT_FALSE(refused);
        EXPECT_THAT(refused.error().message, StartsWith(path + ":2: byte 24 "));
        EXPECT_THAT(refused.error().message, HasSubstr("tokens = \"bytes\""));
        const auto bytes = loadText({{"path", text(path)}, {"tokens", text("bytes")}, {"test_fraction", number(0.5)}});
        ASSERT_TRUE(bytes) << bytes.error().message;
        EXPECT_EQ(bytes->input.classes, 256);
        EXPECT_EQ(bytes->test.inputs.max().item<std::int64_t>(), 0xE9);
    }
}

TEST(TextTest, RefusesOtherModelsMissingFilesAndShortTexts) {
    EXPECT_THAT(loadText({}, {.shape = {1, 28, 28}, .classes = 10}).error().message,
                HasSubstr("predict the next token"));
    EXPECT_THAT(loadText({{"path", text("/nonexistent/a.txt")}}).error().message,
                StartsWith("/nonexistent/a.txt: there is no such file"));
    const TempDir folder;
    const std::string path = folder.write("a.txt", "a few words").string();
    EXPECT_THAT(loadText({{"path", text(path)}, {"length", integer(50)}}).error().message,
                StartsWith(path + ": its 11 tokens are too few for samples of 50"));
}

}  // namespace
}  // namespace dasgd
