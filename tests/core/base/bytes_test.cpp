#include "core/base/bytes.h"

#include <gtest/gtest.h>

#include <limits>

namespace dasgd {
namespace {

enum class Colour { Red, Green };

struct Thing {
    std::int32_t number = 0;
    double real = 0;
    Colour colour = Colour::Red;
    bool on = false;
    std::string text;
    std::vector<std::string> words;
    bool operator==(const Thing&) const = default;
};

bool layout(auto& bytes, WrittenOrRead<Thing> auto& thing) {
    return bytes(thing.number, thing.real) && bytes.oneOf(thing.colour, 2) && bytes.oneOf(thing.on, 2) &&
           bytes(thing.text) && bytes.list(thing.words, 4, [&](auto& word) { return bytes(word); });
}

std::string written(const Thing& thing) {
    std::string bytes;
    ByteWriter out(bytes);
    EXPECT_TRUE(layout(out, thing));
    return bytes;
}

const Thing kThing{.number = -7,
                   .real = std::numeric_limits<double>::infinity(),
                   .colour = Colour::Green,
                   .on = true,
                   .text = std::string("a\0b", 3),
                   .words = {"", "word"}};

TEST(Bytes, AreReadAsTheyWereWritten) {
    Thing thing;
    const std::string bytes = written(kThing);
    ByteReader in(bytes);
    EXPECT_TRUE(layout(in, thing));
    EXPECT_TRUE(in.empty());
    EXPECT_EQ(thing, kThing);
}

TEST(Bytes, AreLittleEndianAndTextsFollowTheirLength) {
    std::string bytes;
    ByteWriter{bytes}(std::uint16_t{0x0102}, std::string_view("ab"));
    EXPECT_EQ(bytes, std::string("\x02\x01\x02\0\0\0ab", 8));
}

TEST(Bytes, ThatAreCutOffAreNotReadPastTheirEnd) {
    const std::string bytes = written(kThing);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        Thing thing;
        ByteReader in(std::string_view(bytes).substr(0, length));
        EXPECT_FALSE(layout(in, thing)) << length;
        EXPECT_FALSE(in(thing.number)) << "it stays so";
    }
}

TEST(Bytes, ThatNumberNoneOfTheValuesAreRefused) {
    std::string bytes = written(kThing);
    bytes[12] = 2;  // the colour
    Thing thing;
    ByteReader in(bytes);
    EXPECT_FALSE(layout(in, thing));
    EXPECT_EQ(thing.colour, Colour::Red);
}

TEST(Bytes, AnnounceNoMoreMembersThanTheyHaveRoomFor) {
    std::vector<std::uint64_t> numbers;
    int calls = 0;
    const auto each = [&](std::uint64_t&) { return ++calls > 0; };
    const std::string_view bytes("\x02\0\0\0abcdefghijklmno", 4 + 15);
    EXPECT_FALSE(ByteReader(bytes).list(numbers, 8, each));
    EXPECT_EQ(calls, 0);
    EXPECT_TRUE(numbers.empty());
    EXPECT_TRUE(ByteReader(bytes).list(numbers, 7, each));
    EXPECT_EQ(numbers.size(), 2U);
}

TEST(Bytes, OfOneNumberAreEight) {
    EXPECT_EQ(numberOf(numberBytes(std::numeric_limits<std::uint64_t>::max())),
              std::numeric_limits<std::uint64_t>::max());
    EXPECT_FALSE(numberOf(numberBytes(1).substr(1)));
    EXPECT_FALSE(numberOf(numberBytes(1) + "x"));
}

}  // namespace
}  // namespace dasgd
