/// What C offers for memory that several threads share, or that will be read soon.
///
/// Atomic operations of C11 on integers at fixed addresses: Swift's own (Synchronization) need macOS 15 and iOS 18.
#pragma once
#include <stdint.h>

/// Adds to a number and returns the sum. Other memory is not ordered by it.
static inline int64_t funnel_atomic_add(int64_t *_Nonnull number, int64_t difference) {
  return __atomic_add_fetch(number, difference, __ATOMIC_RELAXED);
}

/// Returns a number; what its writer wrote before it is visible afterwards.
static inline int64_t funnel_atomic_load(const int64_t *_Nonnull number) {
  return __atomic_load_n(number, __ATOMIC_ACQUIRE);
}

/// Replaces a number; what was written before is visible to those who load it.
static inline void funnel_atomic_store(int64_t *_Nonnull number, int64_t value) {
  __atomic_store_n(number, value, __ATOMIC_RELEASE);
}

/// Returns a byte. Other memory is not ordered by it.
static inline uint8_t funnel_atomic_load_byte(const uint8_t *_Nonnull byte) {
  return __atomic_load_n(byte, __ATOMIC_RELAXED);
}

/// Replaces a byte. Other memory is not ordered by it.
static inline void funnel_atomic_store_byte(uint8_t *_Nonnull byte, uint8_t value) {
  __atomic_store_n(byte, value, __ATOMIC_RELAXED);
}

/// Asks the processor to load the cache line of an address, which need not be mapped, because it will be read soon.
static inline void funnel_prefetch(const void *_Nonnull address) { __builtin_prefetch(address); }
