// The secret of a run: whoever knows it may take part. Ranks of several hosts find it in their environment, and what is
// sent between them off their own communication is encrypted and admitted by keys that are made of it.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "core/base/result.h"

namespace dasgd::experiments {

class RunSecret {
public:
    // Where ranks find it, as 64 hex digits. Never on a command line, which every user of a host can read.
    static constexpr const char* kVariable = "DASGD_SECRET";

    // 32 bytes of the kernel's random numbers. Errors: it has none to give.
    static Result<RunSecret> make();
    // Errors: these are no 64 hex digits; they are not in the text.
    static Result<RunSecret> fromHex(const std::string& hex);
    // The secret in this process's environment; nullopt if the variable is not set. Errors: it holds something else.
    static Result<std::optional<RunSecret>> fromEnvironment(
        const std::function<std::optional<std::string>(const std::string&)>& lookup);

    [[nodiscard]] std::string hex() const;
    // 16 hex digits, of SHA-256: tells secrets apart and gives none away.
    [[nodiscard]] std::string fingerprint() const;

    // Curve25519, as ZeroMQ's CURVE takes them (RFC 26/CurveZMQ): 40 characters of Z85. The secret half is SHA-256 of
    // the secret and the part that it is for, so both ends know both pairs without an exchange.
    struct Keys {
        std::string publicKey, secretKey;
    };
    [[nodiscard]] Keys serverKeys() const { return keysFor("server"); }
    [[nodiscard]] Keys memberKeys() const { return keysFor("member"); }

private:
    RunSecret() = default;
    [[nodiscard]] std::string derived(const std::string& part) const;  // 64 hex digits
    [[nodiscard]] Keys keysFor(const std::string& part) const;
    std::array<unsigned char, 32> bytes_{};
};

}  // namespace dasgd::experiments
