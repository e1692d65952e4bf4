import FunnelModel
import FunnelProjections

extension DriverSearch {
  /// Returns the keys that are not used in a row, and those that were left out before groups were counted.
  func leftOutKeys(of counts: CrossCounts, all: DriverShare) -> [LeftOutKey] {
    let ofRow = counts.keys.indices.compactMap { index in
      LeftOutKey.Reason(counts.values(ofKey: index), all: all, self)
        .map { LeftOutKey(key: counts.keys[index], reason: $0) }
    }
    guard case .found(_, let before) = keys else { return ofRow }
    // A property of other events is not a key of the groups, and was not asked for.
    return before + ofRow.filter { !($0.key.isProperty && $0.reason == .noValue) }
  }
}

extension DriverSearch.LeftOutKey.Reason {
  /// Creates the reason why a key is not used, or returns `nil` if it is used.
  ///
  /// - Parameter values: The values of the key in the groups of a row, or `nil` if there are too many.
  init?(_ values: [CrossCounts.Value]?, all: DriverShare, _ search: DriverSearch) {
    guard let values else {
      self = .tooManyValues(search.keys.valuesMax)
      return
    }
    switch values.count {
    case 0: self = .noValue
    case 1 where search.keys.valuesMin > 1 || values[0].count.groups == all.groups: self = .oneValue
    default:
      guard !values.contains(where: { $0.count.groups >= search.groupsMin }) else { return nil }
      self = .fewGroups(search.groupsMin)
    }
  }
}

extension Dimension {
  /// Whether the dimension is a key of `props`.
  fileprivate var isProperty: Bool { if case .property = self { true } else { false } }
}
