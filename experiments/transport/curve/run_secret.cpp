#include "experiments/transport/curve/run_secret.h"

#include <sys/random.h>
#include <zmq.h>

#include <string_view>

#include "core/base/check.h"
#include "core/base/digest/sha256.h"

namespace dasgd::experiments {

namespace {

constexpr std::size_t kBytes = 32, kZ85 = 40;

// nullopt where a digit is none.
std::optional<std::array<unsigned char, kBytes>> bytesOf(std::string_view hex) {
    const auto digit = [](char c) {
        return c >= '0' && c <= '9'   ? c - '0'
               : c >= 'a' && c <= 'f' ? c - 'a' + 10
               : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                      : -1;
    };
    if (hex.size() != 2 * kBytes) return std::nullopt;
    std::array<unsigned char, kBytes> bytes{};
    for (std::size_t i = 0; i < kBytes; ++i) {
        const int high = digit(hex[2 * i]), low = digit(hex[2 * i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        bytes[i] = static_cast<unsigned char>(high * 16 + low);
    }
    return bytes;
}

}  // namespace

Result<RunSecret> RunSecret::make() {
    RunSecret secret;
    if (::getrandom(secret.bytes_.data(), kBytes, 0) != static_cast<ssize_t>(kBytes)) {
        return fail("the kernel gave no random numbers for the secret of the run");
    }
    return secret;
}

Result<RunSecret> RunSecret::fromHex(const std::string& hex) {
    const auto bytes = bytesOf(hex);
    if (!bytes) return fail("the secret of a run is 64 hex digits, as `openssl rand -hex 32` makes them");
    RunSecret secret;
    secret.bytes_ = *bytes;
    return secret;
}

Result<std::optional<RunSecret>> RunSecret::fromEnvironment(
    const std::function<std::optional<std::string>(const std::string&)>& lookup) {
    const auto value = lookup(kVariable);
    if (!value || value->empty()) return std::optional<RunSecret>();
    const auto secret = fromHex(*value);
    if (!secret) return fail(std::string(kVariable) + " holds something else: " + secret.error().message);
    return std::optional<RunSecret>(*secret);
}

std::string RunSecret::hex() const {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (const unsigned char byte : bytes_) {
        text += kDigits[byte >> 4];
        text += kDigits[byte & 15];
    }
    return text;
}

std::string RunSecret::derived(const std::string& part) const {
    return sha256Of("dasgd " + part + "\n" + std::string(reinterpret_cast<const char*>(bytes_.data()), kBytes));
}

std::string RunSecret::fingerprint() const { return derived("fingerprint").substr(0, 16); }

RunSecret::Keys RunSecret::keysFor(const std::string& part) const {
    const auto key = bytesOf(derived(part));
    std::array<char, kZ85 + 1> secret{}, open{};
    DASGD_CHECK(key && zmq_z85_encode(secret.data(), key->data(), kBytes) != nullptr);
    DASGD_CHECK(zmq_curve_public(open.data(), secret.data()) == 0);
    return {open.data(), secret.data()};
}

}  // namespace dasgd::experiments
