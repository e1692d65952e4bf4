/// The options of the report of drivers, which searches for the conditions under which groups are lost
/// (specification section 7).
package struct DriverSearch: Hashable, Sendable {
  /// The default of ``depth``: single conditions and pairs of them.
  package static let depthDefault = 2
  /// The valid values of ``depth``.
  package static let depths = 1...2
  /// The default of ``groupsMin``.
  package static let groupsMinDefault = 30

  /// The share that the report compares inside and outside of each condition.
  package var share = Share.conversion
  /// The keys of the conditions.
  package var keys = Keys.ofLog
  /// The maximum number of conditions that hold together.
  package var depth = DriverSearch.depthDefault
  /// The minimum number of groups inside, and of groups outside, of a condition that is tested.
  package var groupsMin = DriverSearch.groupsMinDefault

  /// Creates the default options.
  package init() {}

  /// The keys of the conditions.
  package enum Keys: Hashable, Sendable {
    /// All keys of the log, which must be found before groups are counted.
    case ofLog
    /// The keys that were found in the log, as stored dimensions, and those that were found and are not used.
    case found([Dimension], leftOut: [LeftOutKey])
    /// The keys that the user named (``Dimension/isDriverKey``).
    case named([Dimension])

    /// The keys, or an empty array if they are not found yet.
    package var all: [Dimension] {
      switch self {
      case .ofLog: []
      case .found(let keys, _), .named(let keys): keys
      }
    }

    /// The minimum number of values of a key that is used.
    package var valuesMin: Int {
      switch self {
      case .ofLog, .found: 2
      case .named: 1
      }
    }

    /// The maximum number of values of a key that is used. A key with more values is left out.
    package var valuesMax: Int {
      switch self {
      case .ofLog, .found: Limits.driverValuesOfFoundKeyMax
      case .named: Limits.driverValuesOfNamedKeyMax
      }
    }
  }
}

extension DriverSearch {
  /// A share of groups: `conversion`, `reached:STEP` or `grant_rate:PERMISSION`.
  package enum Share: Hashable, Sendable, CustomStringConvertible {
    /// The share of the entered groups that completed.
    case conversion
    /// The share of the entered groups that reached a step.
    case reached(step: String)
    /// The share of the prompted groups that granted a permission.
    case grantRate(permission: String)

    /// Parses a share. Returns `nil` if it has an unknown form.
    package init?(_ text: String) {
      let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      switch (parts[0], parts.dropFirst().first) {
      case ("conversion", nil): self = .conversion
      case ("reached", let step?) where !step.isEmpty: self = .reached(step: step)
      case ("grant_rate", let permission?) where !permission.isEmpty: self = .grantRate(permission: permission)
      default: return nil
      }
    }

    package var description: String {
      switch self {
      case .conversion: "conversion"
      case .reached(let step): "reached:\(step)"
      case .grantRate(let permission): "grant_rate:\(permission)"
      }
    }
  }
}

extension DriverSearch {
  /// A key that is not used, with the reason.
  package struct LeftOutKey: Hashable, Sendable {
    /// The reason why a key is not used.
    package enum Reason: Hashable, Sendable {
      /// The groups have more values of the key than this.
      case tooManyValues(Int)
      /// The events of the log have more values of the key than this.
      case tooManyValuesInLog(Int)
      /// There are more keys than this, and others come before the key.
      case tooManyKeys(Int)
      /// There is only one value.
      case oneValue
      /// No group has the key.
      case noValue
      /// No value has this many groups.
      case fewGroups(Int)
    }

    package var key: Dimension
    package var reason: Reason

    package init(key: Dimension, reason: Reason) {
      self.key = key
      self.reason = reason
    }
  }
}
