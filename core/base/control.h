// The shared page of one run on one host: the completed steps of each rank, and the step at which all ranks stop. A
// mapped file: ranks publish with a plain store, and what a killed process had stored stays readable.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "core/base/ids.h"
#include "core/base/result.h"

namespace dasgd {

// Called by each rank before every step.
class StepGate {
public:
    virtual ~StepGate() = default;
    // Publishes `completed` steps and returns whether to make another one. All ranks that call it stop at the same
    // step.
    [[nodiscard]] virtual bool mayContinue(Rank rank, std::int64_t completed) = 0;
    // For ranks that do not make the same steps: publishes `completed` steps and returns whether a stop was asked for,
    // which the caller then brings about. Waits for nobody.
    [[nodiscard]] virtual bool stopAsked(Rank rank, std::int64_t completed) = 0;
    // The rank has finished or will not ask again; a stop no longer waits for it.
    virtual void leave(Rank rank) = 0;
};

class RunControl final : public StepGate {
public:
    // The launcher creates the page for `ranks` ranks; workers and tools open it.
    static Result<RunControl> create(const std::filesystem::path& file, int ranks);
    static Result<RunControl> open(const std::filesystem::path& file);
    RunControl(RunControl&&) noexcept;
    RunControl& operator=(RunControl&&) noexcept;
    ~RunControl() override;

    [[nodiscard]] int ranks() const;

    // Rank side. A rank that reached the stop step blocks here until every running rank is there too, or continues if
    // another rank has already passed it. No system call before a stop is requested (except one at the first step). One
    // thread per rank; a rank whose process has ended counts as having left.
    [[nodiscard]] bool mayContinue(Rank rank, std::int64_t completed) override;
    [[nodiscard]] bool stopAsked(Rank rank, std::int64_t completed) override {
        publish(rank, completed);
        return stopRequested();
    }
    void leave(Rank rank) override;
    // Only publishes: for ranks that share one thread and must not park in it (see CooperativeGate).
    void publish(Rank rank, std::int64_t completed);

    // Launcher side.
    void requestStop();  // idempotent; also for `dasgd stop` from another process
    [[nodiscard]] bool stopRequested() const;
    [[nodiscard]] std::int64_t completed(Rank rank) const;
    [[nodiscard]] std::optional<std::int64_t> stopStep() const;

    // While the run waits in a queue: the one with the smallest turn starts next, one that is held does not start.
    // Also for `dasgd queue` from another process.
    void setTurn(double turn);
    [[nodiscard]] double turn() const;
    void setHeld(bool held);
    [[nodiscard]] bool isHeld() const;

private:
    struct Page;
    struct Line;
    enum class Answer { Wait, Stop, Continue };
    RunControl(Page* page, std::size_t bytes);
    static Result<RunControl> map(int file, const std::filesystem::path& name);
    [[nodiscard]] Line& line(int rank) const;
    [[nodiscard]] bool park(int rank, std::int64_t completed);
    [[nodiscard]] Answer inspectOtherRanks(std::int64_t completed);
    void markEndedProcesses();
    Page* page_ = nullptr;
    std::size_t bytes_ = 0;
};

// Stop step of ranks that share one thread, none of which may block: the furthest step that any of them had been
// allowed to make when the stop was requested.
class FurthestStop {
public:
    // True where a rank with `completed` steps makes another one.
    [[nodiscard]] bool mayContinue(bool stopAsked, std::int64_t completed) {
        if (!stop_ && stopAsked) stop_ = furthest_;
        if (stop_ && completed >= *stop_) return false;
        furthest_ = std::max(furthest_, completed + 1);
        return true;
    }

private:
    std::int64_t furthest_ = 0;
    std::optional<std::int64_t> stop_;
};

// The gate of ranks that share one thread: none of them may block, and only one runs at a time.
class CooperativeGate final : public StepGate {
public:
    // `control` outlives the gate.
    explicit CooperativeGate(RunControl& control) : control_(control) {}
    [[nodiscard]] bool mayContinue(Rank rank, std::int64_t completed) override;
    [[nodiscard]] bool stopAsked(Rank rank, std::int64_t completed) override {
        return control_.stopAsked(rank, completed);
    }
    void leave(Rank rank) override { control_.leave(rank); }

private:
    RunControl& control_;
    FurthestStop stop_;
};

}  // namespace dasgd
