// SPDX-License-Identifier: Apache-2.0
//
// How are containers made, found, changed and deleted? With the account's key; roles of Entra ID do not
// suffice.
//
//     admin.send(CreateContainer{{"shop", "orders"}, {"/customer"}}.throughput(400));
//     admin.send(CreateContainer{{"shop", "events"}, {"/tenant", "/user"}}
//                    .with("defaultTtl", 3600));
//
// Made unless it is there: ensure.hpp.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perdure/cosmos/databases.hpp"
#include "perdure/cosmos/value.hpp"
#include "perdure/cosmos/wire/container_properties.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

struct Container {
    ContainerProperties properties{};
    std::string json{};  // all that the service says of it
    std::string etag{};
    double charge = 0;
};

// All are plain values. With several paths the key is hierarchical; at most three.
class CreateContainer : public WithThroughput<CreateContainer>, public WithRepeat<CreateContainer> {
public:
    using Answer = Container;
    CreateContainer(ContainerName name, std::vector<std::string> paths)
        : name_{std::move(name)},
          key_{.paths = std::move(paths), .kind = KeyKind::hash, .version = KeyVersion::v2} {
        if (key_.paths.size() > 1) key_.kind = KeyKind::multi_hash;
    }

    // Only for tests against old containers: new ones are of version 2.
    CreateContainer& version(KeyVersion older) & {
        key_.version = older;
        return *this;
    }
    CreateContainer&& version(KeyVersion older) && { return std::move(version(older)); }
    // Seconds after which an item goes by itself, -1: only items that say so.
    CreateContainer& default_ttl(int seconds) & { return with("defaultTtl", seconds); }
    CreateContainer&& default_ttl(int seconds) && { return std::move(default_ttl(seconds)); }
    // Any other property: "indexingPolicy", "uniqueKeyPolicy".
    CreateContainer& with(std::string property, Value value) & {
        more_.emplace_back(std::move(property), std::move(value));
        return *this;
    }
    CreateContainer&& with(std::string property, Value value) && {
        return std::move(with(std::move(property), std::move(value)));
    }

    [[nodiscard]] const ContainerName& name() const noexcept { return name_; }
    [[nodiscard]] const KeyDefinition& key() const noexcept { return key_; }
    [[nodiscard]] std::string_view operation() const noexcept { return "CreateContainer"; }
    [[nodiscard]] Safety safety() const noexcept { return declared(); }
    Result<void> describe(Envelope& envelope, const CallFacts& facts) const;
    [[nodiscard]] Result<Container> read(Reply& reply, const CallFacts& facts) const;

private:
    ContainerName name_;
    KeyDefinition key_;
    std::vector<std::pair<std::string, Value>> more_{};
};

class ReadContainer {
public:
    using Answer = Container;
    explicit ReadContainer(ContainerName name) : name_{std::move(name)} {}

    [[nodiscard]] std::string_view operation() const noexcept { return "ReadContainer"; }
    [[nodiscard]] Safety safety() const noexcept { return Safety::read; }
    Result<void> describe(Envelope& envelope, const CallFacts& facts) const;
    [[nodiscard]] Result<Container> read(Reply& reply, const CallFacts& facts) const;

private:
    ContainerName name_;
};

// `json` is the whole definition, as ReadContainer gave it and with something changed.
class ReplaceContainer : public WithEtag<ReplaceContainer>, public WithRepeat<ReplaceContainer> {
public:
    using Answer = Container;
    ReplaceContainer(ContainerName name, std::string json)
        : name_{std::move(name)}, json_{std::move(json)} {}

    [[nodiscard]] std::string_view operation() const noexcept { return "ReplaceContainer"; }
    [[nodiscard]] Safety safety() const noexcept {
        return is_guarded() ? Safety::guarded : declared();
    }
    Result<void> describe(Envelope& envelope, const CallFacts& facts) const;
    [[nodiscard]] Result<Container> read(Reply& reply, const CallFacts& facts) const;

private:
    ContainerName name_;
    std::string json_;
};

// With everything in it. Declared idempotent, one that is not there is as good as deleted.
class DeleteContainer : public WithRepeat<DeleteContainer> {
public:
    using Answer = Deleted;
    explicit DeleteContainer(ContainerName name) : name_{std::move(name)} {}

    [[nodiscard]] std::string_view operation() const noexcept { return "DeleteContainer"; }
    [[nodiscard]] Safety safety() const noexcept { return declared(); }
    Result<void> describe(Envelope& envelope, const CallFacts& facts) const;
    [[nodiscard]] Result<Deleted> read(Reply& reply, const CallFacts& facts) const;
    [[nodiscard]] bool takes(StatusCode code) const noexcept {
        return idempotent_ && (code == StatusCode{404} || code == StatusCode{404, 1003});
    }

private:
    ContainerName name_;
};

class ListContainers {
public:
    using Answer = Page;
    explicit ListContainers(std::string database) : database_{std::move(database)} {}

    // Page::next of the page before.
    ListContainers& after(std::string continuation) & {
        continuation_ = std::move(continuation);
        return *this;
    }
    ListContainers&& after(std::string continuation) && {
        return std::move(after(std::move(continuation)));
    }

    [[nodiscard]] std::string_view operation() const noexcept { return "ListContainers"; }
    [[nodiscard]] Safety safety() const noexcept { return Safety::read; }
    Result<void> describe(Envelope& envelope, const CallFacts& facts) const;
    [[nodiscard]] Result<Page> read(Reply& reply, const CallFacts& facts) const;

private:
    std::string database_;
    std::string continuation_{};
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
