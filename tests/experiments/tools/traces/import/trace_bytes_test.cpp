#include "experiments/tools/traces/import/trace_bytes.h"

#include <gtest/gtest.h>

#include <istream>
#include <iterator>

#include "tests/experiments/tools/traces/trace_files.h"

namespace dasgd::experiments {
namespace {

std::string read(TraceBytes& bytes) {
    std::istream stream(&bytes);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

TEST(TraceBytesTest, UnpacksByTheFirstBytesAndHashesWhatIsOnTheDisk) {
    const test::ImportFolder folder;
    std::string text = "[";
    while (text.size() < 700'000) text += "{\"name\":\"größer \xf0\x9f\x90\x88\"},";
    for (const bool packed : {false, true}) {
        const std::string stored = packed ? test::gzipped(text) : text;
        const auto bytes = test::orDie(TraceBytes::open(folder.write("t.json", stored)));
        EXPECT_EQ(bytes->guess(), TraceBytes::As::Text);
        EXPECT_EQ(read(*bytes), text) << "no character is cut at the end of a part";
        EXPECT_EQ(bytes->replaced(), 0U);
        EXPECT_EQ(bytes->damage(), "");
        Sha256 sha;
        sha.add(stored);
        EXPECT_EQ(bytes->sha256(), sha.finish());
    }
}

TEST(TraceBytesTest, ReplacesWhatIsNoUtf8) {
    const test::ImportFolder folder;
    // A lone follower, an overlong slash, a surrogate, past the end of Unicode, a character that ends too early.
    const std::string text = "[\x80 \xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80 \xc3";
    const auto bytes = test::orDie(TraceBytes::open(folder.write("t.json", text)));
    EXPECT_EQ(bytes->guess(), TraceBytes::As::Text);
    EXPECT_EQ(read(*bytes),
              "[? ?"
              "? ?"
              "?"
              "? ?"
              "?"
              "?"
              "? ?");
    EXPECT_EQ(bytes->replaced(), 11U);
    // A row of first bytes of characters, too long for the part.
    const std::string hostile = "[" + std::string(600'000, '\xf0');
    for (const std::string& stored : {hostile, test::gzipped(hostile)}) {
        const auto starts = test::orDie(TraceBytes::open(folder.write("f.json", stored)));
        EXPECT_EQ(starts->guess(), TraceBytes::As::Text);
        EXPECT_EQ(read(*starts), "[" + std::string(600'000, '?'));
    }
}

TEST(TraceBytesTest, SaysThatACompressedFileEndsTooEarly) {
    const test::ImportFolder folder;
    const std::string packed = test::gzipped("[" + std::string(10'000, ' ') + "]");
    const auto bytes = test::orDie(TraceBytes::open(folder.write("t.gz", packed.substr(0, packed.size() - 12))));
    static_cast<void>(bytes->guess());
    static_cast<void>(read(*bytes));
    EXPECT_NE(bytes->damage(), "");
}

TEST(TraceBytesTest, APacketWhoseLengthIsABracketIsNoJson) {
    const test::ImportFolder folder;
    const auto guess = [&](const std::string& text) {
        return test::orDie(TraceBytes::open(folder.write("t", text)))->guess();
    };
    for (const char length : {'{', '['}) {
        const std::string packet = std::string("\n") + length + std::string("\x08\x2a\x5a\x10", 4);
        EXPECT_EQ(guess(packet), TraceBytes::As::Binary) << length;
    }
    EXPECT_EQ(guess("\n[2\x10"), TraceBytes::As::Binary) << "91 bytes that begin with the clocks";
    EXPECT_EQ(guess("\n\xbb{\x32"), TraceBytes::As::Binary) << "a length of two bytes";
    for (const char* json : {"\n{ \"traceEvents\": []}", "{}", "[", "\n[\n {\"ph\": 1", "[]", " [ 1", "{"}) {
        EXPECT_EQ(guess(json), TraceBytes::As::Text) << json;
    }
}

void expectDamageByEndless(const std::string& part) {
    const test::ImportFolder folder;
    std::string text = "[\"";
    while (text.size() < std::size_t{70} << 20) text += part;
    const auto bytes = test::orDie(TraceBytes::open(folder.write("t.json", text + "\"]")));
    ASSERT_EQ(bytes->guess(), TraceBytes::As::Text);
    EXPECT_LE(read(*bytes).size(), std::size_t{65} << 20);
    EXPECT_EQ(bytes->damage(), "it holds a text of more than 64 MiB");
}

TEST(TraceBytesTest, AnEndlessTextEndsTheFileBeforeMemoryEnds) { expectDamageByEndless("aa"); }

TEST(TraceBytesTest, AnEndlessTextOfEscapesDoesToo) { expectDamageByEndless("\\\""); }

}  // namespace
}  // namespace dasgd::experiments
