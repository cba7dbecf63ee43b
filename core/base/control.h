// The shared page of one run on one host: where each rank is, and at which step all of them stop. A mapped file, so
// ranks publish with a plain store and a killed process leaves its last word behind.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "core/base/ids.h"
#include "core/base/result.h"

namespace dasgd {

class RunControl {
public:
    // The launcher creates the page for `ranks` ranks; workers and tools open it.
    static Result<RunControl> create(const std::filesystem::path& file, int ranks);
    static Result<RunControl> open(const std::filesystem::path& file);
    RunControl(RunControl&&) noexcept;
    RunControl& operator=(RunControl&&) noexcept;
    ~RunControl();

    [[nodiscard]] int ranks() const;

    // Rank side, at the top of every step: publishes `completed` steps and answers whether to go on. All ranks that ask
    // are told to stop at one and the same step: a rank that reached the stop step parks here until every live rank is
    // there too, or goes on if another had already passed it. No system call unless a stop was asked for (but one at
    // the first step). One thread a rank; a rank whose process has died is taken as having left.
    [[nodiscard]] bool goOn(Rank rank, std::int64_t completed);
    // The rank has finished or will never ask again; it no longer holds up a stop.
    void leave(Rank rank);

    // Launcher side.
    void requestStop();  // idempotent; also for `dasgd stop` from another process
    [[nodiscard]] bool stopRequested() const;
    [[nodiscard]] std::int64_t completed(Rank rank) const;
    [[nodiscard]] std::optional<std::int64_t> stopStep() const;

private:
    struct Page;
    struct Line;
    enum class Answer { Wait, Stop, GoOn };
    RunControl(Page* page, std::size_t bytes);
    static Result<RunControl> map(int file, const std::filesystem::path& name);
    [[nodiscard]] Line& line(int rank) const;
    [[nodiscard]] bool park(int rank, std::int64_t completed);
    [[nodiscard]] Answer askTheOthers(std::int64_t completed);
    void takeOutTheDead();
    Page* page_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace dasgd
