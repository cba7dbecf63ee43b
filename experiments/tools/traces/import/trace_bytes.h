// The bytes of a trace file: unpacked where it is compressed, hashed on the way, a bounded part in memory.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <streambuf>
#include <string>

#include "core/base/digest/sha256.h"
#include "core/base/result.h"

namespace dasgd::experiments {

// How far the file is read: bytes of it, compressed or not, and of all.
using ReadSoFar = std::function<void(std::uint64_t read, std::uint64_t size)>;

// For std::istream. As text, what is not UTF-8 becomes '?', and control characters become blanks: between the parts of
// a JSON document they mean the same, inside of strings they are forbidden, and a parser would stop there.
class TraceBytes final : public std::streambuf {
public:
    enum class As { Text, Binary };
    // gzip is told by its first bytes, not by the name. Errors: cannot be read, is a folder, is empty.
    static Result<std::unique_ptr<TraceBytes>> open(const std::filesystem::path& file, ReadSoFar progress = {});
    ~TraceBytes() override;
    TraceBytes(const TraceBytes&) = delete;
    TraceBytes& operator=(const TraceBytes&) = delete;

    // Before the first byte is taken: whether the (unpacked) file begins like JSON.
    [[nodiscard]] As guess();
    void readAs(As as) { as_ = as; }

    [[nodiscard]] std::uint64_t replaced() const { return replaced_; }
    // "" or why no more could be unpacked or read: a compressed file that was cut off, a disk error.
    [[nodiscard]] const std::string& damage() const { return damage_; }
    // Reads the file to its end, for its hash. Once, after everything else.
    [[nodiscard]] std::string sha256();
    [[nodiscard]] std::uint64_t size() const { return size_; }

protected:
    int_type underflow() override;
    // Tells how many bytes of the (unpacked) file are taken; moves nowhere.
    pos_type seekoff(off_type offset, std::ios_base::seekdir from, std::ios_base::openmode) override;

private:
    struct Gzip;
    TraceBytes(int file, std::uint64_t size, ReadSoFar progress);
    std::size_t readRaw();
    std::size_t fill(char* to, std::size_t room);
    void clean(std::size_t length);
    void countText();

    int file_;
    std::uint64_t size_;
    ReadSoFar progress_;
    std::unique_ptr<Gzip> gzip_;
    std::array<char, 1 << 16> raw_{};
    std::size_t rawAt_ = 0, rawEnd_ = 0;
    std::uint64_t read_ = 0;
    std::int64_t taken_ = 0;  // bytes of the parts before the one in text_
    std::array<char, 1 << 18> text_{};
    As as_ = As::Binary;
    Sha256 sha_;
    std::size_t textLength_ = 0, longest_ = 0;  // since the last quotation mark; of any text
    bool escaped_ = false;
    std::uint64_t replaced_ = 0;
    std::string damage_;
};

}  // namespace dasgd::experiments
