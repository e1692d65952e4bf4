import FunnelImport
import FunnelModel

// Sentences about the records that the given mapping can't read.
extension RoleFailures {
  /// The decisions about roles that no record has, each as a clause. Without a mapping there are none.
  ///
  /// - Parameter mapping: The mapping that was given, or `nil` for none.
  func decisions(_ mapping: ImportMapping?) -> [String] {
    guard let mapping else { return [] }
    let roles = [("a name", names, recordCount), ("a time", times, eventCount), ("a subject", subjects, eventCount)]
    return roles.compactMap { what, role, count in
      guard role.count > 0, role.count == count else { return nil }
      return
        "0 of \(Quantity.count(count)) records have \(what) that \(mapping.source.printable) reads; the first: \(role.first)"
    }
  }

  /// Sentences about the times and subjects that some records lack.
  var sentences: [String] {
    [("a time", times), ("a subject", subjects)].compactMap { what, role in
      guard role.count > 0, role.count < eventCount else { return nil }
      return
        "\(Quantity.count(role.count)) of \(Quantity.count(eventCount)) records lack \(what), and will be rejected; the first: \(role.first)"
    }
  }
}
