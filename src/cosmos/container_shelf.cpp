// SPDX-License-Identifier: Apache-2.0
#include "container_shelf.hpp"

#include "perdure/cosmos/wire/effective_key.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

bool Shelved::fits_sessions(const Known& known) const {
    const std::uint64_t news = sessions.news();
    if (news <= known.enough.load(std::memory_order_relaxed)) return true;
    if (!known.ranges || !sessions.all_in(*known.ranges)) return false;
    known.enough.store(news, std::memory_order_relaxed);
    return true;
}

const PartitionRange* Shelved::range_of(const Known* known, const PartitionKey& key) {
    if (!known || !known->ranges) return nullptr;
    const KeyDefinition& definition = known->properties.key;
    // The beginning of a hierarchical key may lie in several ranges.
    if (definition.kind == KeyKind::multi_hash && key.parts().size() < definition.paths.size())
        return nullptr;
    if (known->ranges->all().size() == 1) return &known->ranges->all().front();
    return &known->ranges->at(effective_key(key, definition.kind, definition.version));
}

Shelved& ContainerShelf::at(const ContainerName& name) {
    {
        const std::shared_lock reading{mutex_};
        if (const auto found = shelved_.find(name); found != shelved_.end()) return *found->second;
    }
    const std::lock_guard writing{mutex_};
    std::unique_ptr<Shelved>& place = shelved_[name];
    if (!place) place = std::make_unique<Shelved>(name);
    return *place;
}

void ContainerShelf::forget(Region& region) {
    const std::shared_lock reading{mutex_};
    for (const auto& [name, shelved] : shelved_) shelved->health.forget(region);
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
