#include "core/base/digest/sha256.h"

// EVP would bring all of libcrypto, 5 MiB, into the engine for one hash; these functions bring some kilobytes.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <array>

namespace dasgd {

Sha256::Sha256() : context_(new SHA256_CTX) { SHA256_Init(context_.get()); }
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::Free::operator()(SHA256state_st* context) const { delete context; }

void Sha256::add(std::string_view bytes) { SHA256_Update(context_.get(), bytes.data(), bytes.size()); }

std::string Sha256::finish() {
    std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
    SHA256_Final(digest.data(), context_.get());
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string hex;
    for (const unsigned char byte : digest) {
        hex += kDigits[byte >> 4];
        hex += kDigits[byte & 15];
    }
    return hex;
}

}  // namespace dasgd
