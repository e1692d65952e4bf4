import NIOConcurrencyHelpers

/// The memory that all requests and responses in progress may occupy together.
final class MemoryBudget: Sendable {
  private let bytesMax: Int
  private let reserved = NIOLockedValueBox(0)

  /// - Parameter bytesMax: The largest number of bytes that are reserved at the same time.
  init(bytesMax: Int) {
    precondition(bytesMax >= 0, "a budget is not negative")
    self.bytesMax = bytesMax
  }

  /// The number of bytes that are reserved.
  var reservedBytes: Int { reserved.withLockedValue { $0 } }

  /// Reserves bytes. Returns `false`, without an effect, if the budget does not suffice.
  fileprivate func reserve(_ bytes: Int) -> Bool {
    reserved.withLockedValue { reserved in
      guard bytes <= bytesMax - reserved else { return false }
      reserved += bytes
      return true
    }
  }

  fileprivate func release(_ bytes: Int) {
    reserved.withLockedValue { reserved in
      reserved -= bytes
      assert(reserved >= 0, "only reserved bytes are released")
    }
  }
}

/// A part of a ``MemoryBudget``, which is released with the last reference to this object.
final class MemoryReservation: Sendable {
  private let budget: MemoryBudget
  private let bytes = NIOLockedValueBox(0)

  /// Creates a reservation of no bytes.
  init(_ budget: MemoryBudget) { self.budget = budget }

  deinit { budget.release(bytes.withLockedValue { $0 }) }

  /// Reserves more bytes.
  ///
  /// - Throws: `overload`, without an effect, if the budget does not suffice.
  func add(_ added: Int) throws(UploadRefusal) {
    precondition(added >= 0, "a reservation grows")
    guard budget.reserve(added) else { throw .overload }
    bytes.withLockedValue { $0 += added }
  }
}
