// SPDX-License-Identifier: Apache-2.0
//
// Stands in front of glibc's allocator, which keeps its own entries under a second name for this.
#include "allocations.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>

extern "C" {
void* libc_malloc(std::size_t size) noexcept asm("__libc_malloc");
void* libc_calloc(std::size_t many, std::size_t size) noexcept asm("__libc_calloc");
void* libc_realloc(void* old, std::size_t size) noexcept asm("__libc_realloc");
void* libc_memalign(std::size_t align, std::size_t size) noexcept asm("__libc_memalign");
}

namespace bench {
namespace {

constinit std::atomic<std::uint64_t> count{0};

template <class T>
T counted(T memory) noexcept {
    count.fetch_add(1, std::memory_order_relaxed);
    return memory;
}

}  // namespace

std::uint64_t allocations() noexcept { return count.load(std::memory_order_relaxed); }

}  // namespace bench

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): glibc's are reserved names
extern "C" {
void* malloc(std::size_t size) noexcept { return bench::counted(libc_malloc(size)); }
void* calloc(std::size_t many, std::size_t size) noexcept {
    return bench::counted(libc_calloc(many, size));
}
void* realloc(void* old, std::size_t size) noexcept {
    return bench::counted(libc_realloc(old, size));
}
void* aligned_alloc(std::size_t align, std::size_t size) noexcept {
    return bench::counted(libc_memalign(align, size));
}
void* memalign(std::size_t align, std::size_t size) noexcept {
    return bench::counted(libc_memalign(align, size));
}
int posix_memalign(void** memory, std::size_t align, std::size_t size) noexcept {
    *memory = bench::counted(libc_memalign(align, size));
    return *memory != nullptr ? 0 : ENOMEM;
}
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
