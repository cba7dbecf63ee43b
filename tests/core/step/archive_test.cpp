#include "core/step/archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

namespace dasgd {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(Archive, KeepsCopiesUnderTheirNames) {
    Archive archive;
    at::Tensor weights = torch::arange(3, torch::kFloat64);
    archive.put("mean", weights);
    archive.put("launched_at", 7);
    weights.zero_();
    at::Tensor back = torch::full({3}, -1.0, torch::kFloat64);
    ASSERT_TRUE(archive.read("mean", back));
    EXPECT_TRUE(torch::equal(back, torch::arange(3, torch::kFloat64)));
    EXPECT_EQ(archive.integer("launched_at").value(), 7);
    archive.put("launched_at", 8);
    EXPECT_EQ(archive.integers().at("launched_at"), 8);
    EXPECT_EQ(archive.tensors().size(), 1U);
}

TEST(Archive, KeepsListsInTheirOrder) {
    Archive archive;
    archive.put("received", {torch::zeros({2}), torch::ones({3})});
    const std::vector<at::Tensor> back{torch::full({2}, 5.0), torch::full({3}, 5.0)};
    ASSERT_TRUE(archive.read("received", back));
    EXPECT_TRUE(torch::equal(back[0], torch::zeros({2})));
    EXPECT_TRUE(torch::equal(back[1], torch::ones({3})));
    EXPECT_THAT(archive.read("received", {torch::zeros({2}), torch::zeros({4})}).error().message,
                HasSubstr("'received/1'"));
}

TEST(Archive, StateOfAnotherModelOrPrecisionIsAnErrorAndChangesNothing) {
    Archive archive;
    archive.put("mean", torch::ones({3}, torch::kFloat64));
    for (const at::Tensor& other : {torch::zeros({4}, torch::kFloat64), torch::zeros({3}, torch::kFloat32)}) {
        at::Tensor out = other.clone();
        const Status answer = archive.read("mean", out);
        ASSERT_FALSE(answer);
        EXPECT_THAT(answer.error().message, AllOf(HasSubstr("'mean'"), HasSubstr("another model or precision")));
        EXPECT_TRUE(torch::equal(out, other));
    }
}

TEST(Archive, WhatIsMissingIsNamed) {
    const Archive archive;
    at::Tensor out = torch::zeros({1});
    EXPECT_THAT(archive.read("mean", out).error().message, HasSubstr("'mean'"));
    EXPECT_THAT(archive.integer("due").error().message, HasSubstr("'due'"));
}

}  // namespace
}  // namespace dasgd
