// SHA-256 (FIPS 180-4) by OpenSSL's libcrypto, which uses the processor's own instructions: tells which file something
// was made from, and whether a file is still what was written.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct SHA256state_st;

namespace dasgd {

class Sha256 {
public:
    Sha256();
    ~Sha256();
    Sha256(Sha256&&) noexcept;
    Sha256& operator=(Sha256&&) noexcept;

    void add(std::string_view bytes);
    // 64 hex digits of the hash of all bytes so far. Call it once.
    [[nodiscard]] std::string finish();

private:
    struct Free {
        void operator()(SHA256state_st* context) const;
    };
    std::unique_ptr<SHA256state_st, Free> context_;
};

[[nodiscard]] inline std::string sha256Of(std::string_view bytes) {
    Sha256 hash;
    hash.add(bytes);
    return hash.finish();
}

}  // namespace dasgd
