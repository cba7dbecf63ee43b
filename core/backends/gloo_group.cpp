#include "core/backends/gloo_group.h"

#include "core/base/check.h"
#include "core/comm/gloo/gloo.h"

namespace dasgd {

namespace {

Result<Rendezvous> meetingPlace(const HostRequest& request) {
    if (request.meeting) return request.meeting->rendezvous;
    return Rendezvous::file(request.folder / "rendezvous", request.cluster->ranks(), request.cluster->deadline());
}

}  // namespace

Result<GlooGroup> meetOverGloo(const HostRequest& request) {
    DASGD_CHECK(request.ranks.size() == 1);
    GlooOptions options{
        .rank = Rank(request.ranks.front()), .size = request.cluster->ranks(), .timeout = request.cluster->deadline()};
    if (request.meeting) options.interface = request.meeting->interface;
    DASGD_ASSIGN(Rendezvous rendezvous, meetingPlace(request));
    DASGD_ASSIGN(auto comm, makeGloo(rendezvous, options, request.clock));
    return GlooGroup{std::move(rendezvous), options.interface, std::move(comm)};
}

}  // namespace dasgd
