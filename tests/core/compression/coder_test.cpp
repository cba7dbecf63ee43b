// A vector segment by segment.
#include "core/compression/coder.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include "tests/support/document.h"

namespace dasgd::test {
namespace {

TEST(SegmentsWithin, CutsAtTheEndsAndLeavesOutWhatIsOutside) {
    const std::vector<Segment> all{{0, 4}, {4, 3}, {7, 5}};
    const auto within = segmentsWithin(all, 2, 6);
    ASSERT_EQ(within.size(), 3U);
    EXPECT_EQ(std::pair(within[0].offset, within[0].elements), std::pair(std::int64_t{0}, std::int64_t{2}));
    EXPECT_EQ(std::pair(within[1].offset, within[1].elements), std::pair(std::int64_t{2}, std::int64_t{3}));
    EXPECT_EQ(std::pair(within[2].offset, within[2].elements), std::pair(std::int64_t{5}, std::int64_t{1}));
    EXPECT_TRUE(segmentsWithin(all, 12, 0).empty());
}

TEST(Coder, GivesEachSegmentItsOwnScaleAndLeavesTheRestAlone) {
    const auto made = CompressorRegistry::find("sign")->create(table({}), {}).value();
    const Coder coder(dynamic_cast<const MessageCompressor&>(*made), {{1, 2}, {3, 9}}, 8);
    EXPECT_EQ(coder.messageBytes(), (4 + 1) + (4 + 2));
    at::Tensor x = torch::arange(13, at::kDouble);
    at::Tensor message = at::full({coder.messageBytes() + 1}, 171, at::kByte);
    Draws draws(1);
    coder.encode(x, message, draws);
    EXPECT_EQ(message[coder.messageBytes()].item<int>(), 171) << "nothing behind the message is written";
    at::Tensor out = at::ones({13}, at::kDouble);
    coder.decode(message, 0.5, out, draws);
    at::Tensor expected = at::ones({13}, at::kDouble);
    expected.slice(0, 1, 3) += 0.5 * 1.5;
    expected.slice(0, 3, 12) += 0.5 * 7;
    EXPECT_TRUE(out.equal(expected)) << out;
}

}  // namespace
}  // namespace dasgd::test
