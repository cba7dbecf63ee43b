#include "core/sim/engine/world.h"

#include <ATen/core/grad_mode.h>
#include <simgrid/simix.hpp>

#include <utility>

#include "core/base/check.h"
#include "core/sim/engine/rank_actor.h"
#include "core/sim/engine/world_impl.h"

namespace dasgd {

namespace sg = simgrid::s4u;

namespace {

// A report of one rank goes through a pipe in one piece, so its size must not grow with the cluster.
constexpr int kRanksToName = 8;

// Keeps an actor's grad mode across a switch: the mode is a property of the thread, and all actors share one.
class KeepGradMode {
public:
    KeepGradMode() : enabled_(at::GradMode::is_enabled()) {}
    ~KeepGradMode() { at::GradMode::set_enabled(enabled_); }
    KeepGradMode(const KeepGradMode&) = delete;
    KeepGradMode& operator=(const KeepGradMode&) = delete;

private:
    bool enabled_;
};

}  // namespace

VirtualWorld::Impl::Impl(const Topology& topology, const VirtualOptions& options)
    : topology_(topology), options_(options) {
    sg::Engine::set_config("network/bandwidth-factor", options_.network.efficiency);
}
VirtualWorld::Impl::~Impl() = default;

Status VirtualWorld::Impl::build() {
    DASGD_TRY(checkAllReduce(options_.network.allReduce(), options_.ranks));
    DASGD_ASSIGN(hosts_, topology_.build(options_.ranks));
    const auto& faults = options_.faults;
    wire_ = std::make_unique<Wire>(hosts_, faults.has_value());
    if (faults) {
        outages_ = std::make_unique<Outages>(*faults, options_.ranks, [this](const FaultEvent& fault) {
            wire_->change(fault);
            if (options_.faulted) options_.faulted(fault);
        });
    }
    if (const auto& background = options_.network.background) {
        background_ = std::make_unique<Background>(*background, options_.network.efficiency, *wire_);
    }
    links_ = std::make_shared<RankLinks>(options_.ranks);
    listens_.assign(static_cast<std::size_t>(options_.ranks), false);
    for (int rank = 0; rank < options_.ranks; ++rank) {
        wakeups_.push_back(sg::Semaphore::create(0));
        actors_.push_back(std::make_unique<RankActor>(*this, rank));
    }
    return {};
}

VirtualGroup& VirtualWorld::Impl::groupOf(const Group& group) {
    auto& slot = groups_[group.path];
    if (!slot) {
        std::vector<int> ranks;
        for (const Rank member : group.members) ranks.push_back(member.value());
        slot = std::make_unique<VirtualGroup>(*wire_, options_.network, std::move(ranks), links_,
                                              [this](int rank) { changed(rank); });
    }
    return *slot;
}

void VirtualWorld::Impl::run(const std::function<void(VirtualRank&)>& body) {
    for (int rank = 0; rank < options_.ranks; ++rank) {
        sg::Actor::create("rank-" + std::to_string(rank), hosts_[static_cast<std::size_t>(rank)], [this, rank, &body] {
            at::GradMode::set_enabled(true);
            actors_[static_cast<std::size_t>(rank)]->live(body);
            inKernel([this] {
                ++ended_;
                oneLess();
            });
        });
    }
    active_ = options_.ranks;
    if (outages_) outages_->start();
    if (background_) background_->start();
    engine_->run();
    // SimGrid gives up, and reports it on stderr alone, where nothing is left that could wake a waiting actor.
    DASGD_CHECK(ended_ == options_.ranks && "a rank stands still for ever");
}

void VirtualWorld::Impl::inKernel(const std::function<void()>& work) {
    const KeepGradMode keep;
    simgrid::kernel::actor::simcall_answered(work);
}

void VirtualWorld::Impl::sleepUntil(double instant) {
    const KeepGradMode keep;
    sg::this_actor::sleep_until(instant);
}

void VirtualWorld::Impl::sleepUntilChange(int rank, double instant) {
    // SimGrid waits forever where the time is not above 0.
    if (!(instant > now())) return;
    const KeepGradMode keep;
    const auto own = static_cast<std::size_t>(rank);
    listens_[own] = true;
    const bool tooLate = wakeups_[own]->acquire_timeout(instant - now());
    if (tooLate) listens_[own] = false;
}

void VirtualWorld::Impl::changed(int rank) {
    const auto own = static_cast<std::size_t>(rank);
    if (!listens_[own]) return;
    listens_[own] = false;
    wakeups_[own]->release();
}

void VirtualWorld::Impl::sleepUntilOthersEnd(int rank) {
    inKernel([this] { oneLess(); });
    const auto own = static_cast<std::size_t>(rank);
    while (aborted_.empty() && active_ > 0) {
        const KeepGradMode keep;
        listens_[own] = true;
        wakeups_[own]->acquire();
    }
    ++active_;
}

// Stops background traffic and failures with the last rank: the engine does not end while they are active.
void VirtualWorld::Impl::oneLess() {
    --active_;
    if (ended_ == options_.ranks) {
        if (outages_) outages_->stop();
        if (background_) background_->stop();
    } else if (active_ == 0) {
        for (int rank = 0; rank < options_.ranks; ++rank) changed(rank);
    }
}

std::string VirtualWorld::Impl::outagesText() const {
    std::string text;
    int told = 0;
    for (int rank = 0; outages_ && rank < options_.ranks; ++rank) {
        const std::string out = outages_->describe(rank);
        if (out.empty() || ++told > kRanksToName) continue;
        text += "; rank " + std::to_string(rank) + ": " + out;
    }
    if (told > kRanksToName) text += "; and " + std::to_string(told - kRanksToName) + " more that are out";
    return text;
}

std::string VirtualWorld::Impl::waitingText(int self) const {
    std::string text;
    int told = 0;
    for (const auto& actor : actors_) {
        if (actor->rank() == self) continue;
        if (++told > kRanksToName) continue;
        text += "; rank " + std::to_string(actor->rank());
        const bool out = outages_ && !outages_->describe(actor->rank()).empty();
        if (actor->hasEnded()) {
            text += " has ended";
        } else if (!actor->waitingFor().empty()) {
            text += " waits (" + actor->waitingFor() + ")";
        } else {
            text += out ? " stands still" : " computes";
        }
    }
    if (told > kRanksToName) text += "; and " + std::to_string(told - kRanksToName) + " more";
    return text;
}

void VirtualWorld::Impl::abort(const std::string& reason) {
    if (!aborted_.empty()) return;
    aborted_ = reason;
    inKernel([this] {
        for (int rank = 0; rank < options_.ranks; ++rank) changed(rank);
    });
}

VirtualWorld::VirtualWorld(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
VirtualWorld::~VirtualWorld() = default;

Result<std::unique_ptr<VirtualWorld>> VirtualWorld::create(const Topology& topology, const VirtualOptions& options) {
    DASGD_CHECK(!sg::Engine::has_instance() && "one virtual cluster at a time");
    auto impl = std::make_unique<Impl>(topology, options);
    DASGD_TRY(impl->build());
    return std::unique_ptr<VirtualWorld>(new VirtualWorld(std::move(impl)));
}

void VirtualWorld::run(const std::function<void(VirtualRank&)>& body) { impl_->run(body); }
void VirtualWorld::abort(const std::string& reason) { impl_->abort(reason); }

}  // namespace dasgd
