#include "core/base/sha256.h"

#include <openssl/evp.h>

#include <array>

#include "core/base/check.h"

namespace dasgd {

// libcrypto fails here only where memory is short, or where a system policy forbids SHA-256 itself.
Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
    DASGD_CHECK(context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

void Sha256::add(std::string_view bytes) {
    DASGD_CHECK(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
}

std::string Sha256::finish() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int length = 0;
    DASGD_CHECK(EVP_DigestFinal_ex(context_.get(), digest.data(), &length) == 1);
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string hex;
    for (unsigned int i = 0; i < length; ++i) {
        hex += kDigits[digest[i] >> 4];
        hex += kDigits[digest[i] & 15];
    }
    return hex;
}

}  // namespace dasgd
