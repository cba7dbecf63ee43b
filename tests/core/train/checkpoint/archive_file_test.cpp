#include "core/train/checkpoint/archive_file.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include <limits>

#include "core/checkpoint/stored_file.h"
#include "tests/support/safetensors_files.h"
#include "tests/support/temp_dir.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

TEST(ArchiveFile, GivesBackWhatWasWritten) {
    const TempDir folder;
    Archive archive;
    std::vector<at::Tensor> tensors{torch::arange(6, torch::kFloat).view({2, 3}),
                                    torch::tensor(std::vector<double>{1.0, NAN, -INFINITY}, torch::kFloat64),
                                    torch::tensor(std::int64_t{7}),
                                    torch::tensor({true, false}),
                                    torch::tensor({1, 2}, torch::kByte),
                                    torch::rand({3}).to(torch::kBFloat16),
                                    torch::empty({0, 4}),
                                    torch::rand({4, 5}).t(),
                                    torch::rand({2, 3, 4, 4}).contiguous(at::MemoryFormat::ChannelsLast)};
    for (std::size_t i = 0; i < tensors.size(); ++i) archive.put("tensor/" + std::to_string(i), tensors[i]);
    archive.put("least", std::numeric_limits<std::int64_t>::min());
    archive.put("most", std::numeric_limits<std::int64_t>::max());
    ASSERT_TRUE(writeArchive(folder / "file", archive));
    const auto read = readArchive(folder / "file");
    ASSERT_TRUE(read) << read.error().message;
    ASSERT_EQ(read->tensors().size(), tensors.size());
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const at::Tensor& got = read->tensors().at("tensor/" + std::to_string(i));
        EXPECT_EQ(got.dtype(), tensors[i].dtype());
        EXPECT_EQ(got.sizes(), tensors[i].sizes());
        EXPECT_TRUE(got.allclose(tensors[i], 0, 0, /*equal_nan=*/true)) << i;
    }
    EXPECT_EQ(read->integers(), archive.integers());
}

TEST(ArchiveFile, ReadsTheTensorsThatAreAskedFor) {
    const TempDir folder;
    Archive archive;
    for (const char* name : {"weights/a", "weights/b", "optimizer/a"}) archive.put(name, torch::ones({2}));
    archive.put("step", 3);
    ASSERT_TRUE(writeArchive(folder / "file", archive));
    const auto read = readArchive(folder / "file", {"weights/"});
    ASSERT_TRUE(read);
    EXPECT_EQ(read->tensors().size(), 2U);
    EXPECT_EQ(read->integer("step").value_or(0), 3);
}

TEST(ArchiveFile, NamesItsRunAndHasADigestWhereThatIsAskedFor) {
    const TempDir folder;
    Archive archive;
    archive.put("w", torch::rand({2, 3}).t());
    archive.put("step", 3);
    ASSERT_TRUE(writeArchive(folder / "plain", archive, "run-a"));
    ASSERT_TRUE(writeArchive(folder / "model", archive, "", FileDigest::OfContent));
    EXPECT_EQ(readArchiveOfRun(folder / "plain")->run, "run-a");
    EXPECT_EQ(readArchiveOfRun(folder / "model")->run, "");
    EXPECT_FALSE(checkContent(folder / "plain").value());
    EXPECT_TRUE(checkContent(folder / "model").value());
    EXPECT_EQ(readArchive(folder / "model")->integers(), archive.integers()) << "neither of them is an integer";
}

TEST(ArchiveFile, WhatIsDamagedIsNamed) {
    const TempDir folder;
    const auto errorOf = [&](const std::string& bytes) {
        const auto read = readArchive(folder.write("file", bytes));
        return read ? std::string() : read.error().message;
    };
    EXPECT_THAT(readArchive(folder / "none").error().message, HasSubstr("none"));
    EXPECT_THAT(errorOf("short"), HasSubstr("shorter than the 8 bytes"));
    EXPECT_THAT(errorOf(safetensors("{" + tensorEntry("w", "F32", "[1000000000000]", 0, 4) + "}", "abcd")),
                HasSubstr("'w'"))
        << "no terabytes are asked for";
    EXPECT_THAT(errorOf(safetensors("{" + tensorEntry("w", "U16", "[2]", 0, 4) + "}", "abcd")), HasSubstr("type U16"));
    EXPECT_THAT(errorOf(safetensors(R"({"__metadata__":{"step":"4x"}})", "")), HasSubstr("'4x' is no integer"));
    EXPECT_THAT(errorOf(safetensors(R"({"__metadata__":{"step":4}})", "")), HasSubstr("is no text"));
    EXPECT_THAT(errorOf(safetensors(R"({"__metadata__":{"step":"99999999999999999999"}})", "")),
                HasSubstr("is no integer"));
}

}  // namespace
}  // namespace dasgd::test
