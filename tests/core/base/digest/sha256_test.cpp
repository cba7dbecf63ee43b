#include "core/base/digest/sha256.h"

#include <gtest/gtest.h>

namespace dasgd {
namespace {

std::string of(std::string_view text) {
    Sha256 sha;
    sha.add(text);
    return sha.finish();
}

// The examples of FIPS 180-4.
TEST(Sha256Test, AgreesWithTheStandard) {
    EXPECT_EQ(of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(of(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256Test, DoesNotDependOnHowTheBytesArrive) {
    const std::string text(1000, 'x');
    for (const std::size_t part : {1U, 3U, 63U, 64U, 65U, 200U}) {
        Sha256 sha;
        for (std::size_t at = 0; at < text.size(); at += part) sha.add(std::string_view(text).substr(at, part));
        EXPECT_EQ(sha.finish(), of(text)) << part;
    }
}

}  // namespace
}  // namespace dasgd
