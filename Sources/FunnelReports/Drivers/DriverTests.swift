import FunnelModel
import FunnelProjections

/// A number of groups with the number of those that succeed.
struct DriverShare: Hashable, Sendable {
  var successes: Int
  var groups: Int

  init(_ successes: Int, of groups: Int) {
    self.successes = successes
    self.groups = groups
  }

  init(_ count: SuccessCount) { self.init(count.successes, of: count.groups) }

  /// Returns the groups that are not among some of them.
  static func - (all: DriverShare, some: DriverShare) -> DriverShare {
    DriverShare(all.successes - some.successes, of: all.groups - some.groups)
  }

  /// Returns both proportions with these groups as the second one, or `nil` if one has no groups.
  func proportions(against rest: DriverShare) -> TwoProportions? {
    TwoProportions(a: (rest.successes, of: rest.groups), b: (successes, of: groups))
  }

  /// Returns whether the share is above that of other groups (1), below it (-1), or equal (0). Exact.
  func direction(from rest: DriverShare) -> Int {
    // Both products are below 2⁶⁴, because no count is above 2³².
    let own = UInt64(successes) * UInt64(rest.groups)
    let other = UInt64(rest.successes) * UInt64(groups)
    return own > other ? 1 : own < other ? -1 : 0
  }
}

/// The tests of all conditions on some keys, and of all pairs of them, against the remaining groups.
struct DriverTests {
  /// A condition `KEY=VALUE`.
  struct Condition {
    /// The index of the key in ``CrossCounts/keys``.
    let key: Int
    let value: CrossCounts.Value

    var inside: DriverShare { DriverShare(value.count) }
  }

  /// A condition or a pair of conditions, with its test.
  struct Test {
    /// The index of the first condition in ``DriverTests/conditions``.
    let first: Int
    /// The index of the second condition, or `nil` for a single one.
    let second: Int?
    /// The groups for which the conditions hold.
    let inside: DriverShare
    let p: Double
    /// Whether the share differs in the same direction from all groups that it is compared with.
    let isConsistent: Bool
  }

  /// The conditions that hold for enough groups, ascending by key and value.
  private(set) var conditions: [Condition] = []
  private(set) var tests: [Test] = []
  private let all: DriverShare
  private let groupsMin: Int

  /// Tests the conditions on the keys that are used (``DriverSearch/LeftOutKey``).
  init(of counts: CrossCounts, all: DriverShare, _ search: DriverSearch) {
    self.all = all
    groupsMin = search.groupsMin
    var conditionsOfKey: [Range<Int>] = []
    for key in counts.keys.indices {
      let first = conditions.count
      let values = counts.values(ofKey: key)
      let isUsed = DriverSearch.LeftOutKey.Reason(values, all: all, search) == nil
      // A pair cannot have more groups than each of its conditions.
      let frequent = (isUsed ? values ?? [] : []).filter { $0.count.groups >= search.groupsMin }
      conditions += frequent.map { Condition(key: key, value: $0) }
      conditionsOfKey.append(first..<conditions.count)
    }
    for index in conditions.indices { testSingle(index) }
    guard search.depth > 1 else { return }
    for a in counts.keys.indices where !conditionsOfKey[a].isEmpty {
      for b in counts.keys.indices.dropFirst(a + 1) {
        for first in conditionsOfKey[a] {
          for second in conditionsOfKey[b] {
            let count = counts.count(conditions[first].value, ofKey: a, with: conditions[second].value, ofKey: b)
            testPair(first, second, inside: DriverShare(count))
          }
        }
      }
    }
  }

  /// Whether so many groups are inside and outside of a condition that it is tested.
  private func isTested(_ inside: DriverShare) -> Bool {
    inside.groups >= groupsMin && all.groups - inside.groups >= groupsMin
  }

  private mutating func testSingle(_ index: Int) {
    let inside = conditions[index].inside
    guard isTested(inside), let proportions = inside.proportions(against: all - inside) else { return }
    tests.append(
      Test(
        first: index, second: nil, inside: inside, p: proportions.testP,
        isConsistent: inside.direction(from: all - inside) != 0))
  }

  /// Tests a pair of conditions against what each of them says alone: the other groups of either condition.
  private mutating func testPair(_ first: Int, _ second: Int, inside: DriverShare) {
    guard isTested(inside) else { return }
    let rests = [first, second].map { conditions[$0].inside - inside }
    // If one condition holds only together with the other one, the pair says nothing that it does not say alone.
    guard let a = inside.proportions(against: rests[0]), let b = inside.proportions(against: rests[1]) else { return }
    let direction = inside.direction(from: all - inside)
    tests.append(
      Test(
        first: first, second: second, inside: inside, p: max(a.testP, b.testP),
        isConsistent: direction != 0 && rests.allSatisfy { inside.direction(from: $0) == direction }))
  }
}

extension DriverTests {
  /// The maximum number of drivers of a row.
  private static let listedMax = 20
  /// The bound of the expected share of false findings.
  private static let falseDiscoveryRateMax = 0.05

  /// Returns the findings, by the number of groups lost or gained, largest first.
  func drivers(keys: [Dimension]) -> [Driver] {
    let qValues = FalseDiscoveryRate.adjusted(tests.map(\.p))
    let found = tests.indices.filter { qValues[$0] <= Self.falseDiscoveryRateMax && tests[$0].isConsistent }
    let sizes = found.map { lost(tests[$0].inside).magnitude }
    // Of equal findings, the one that was tested first comes first: single conditions, by key and value.
    let order = found.indices.sorted { sizes[$0] != sizes[$1] ? sizes[$0] > sizes[$1] : found[$0] < found[$1] }
    return order.prefix(Self.listedMax).compactMap { driver(of: tests[found[$0]], q: qValues[found[$0]], keys: keys) }
  }

  /// Returns the number of groups that would have succeeded in addition, with the share of all other groups.
  private func lost(_ inside: DriverShare) -> Double {
    let rest = all - inside
    return Double(rest.successes) / Double(rest.groups) * Double(inside.groups) - Double(inside.successes)
  }

  private func driver(of test: Test, q: Double, keys: [Dimension]) -> Driver? {
    let rest = all - test.inside
    guard let proportions = test.inside.proportions(against: rest) else { return nil }
    let comparison = TwoProportionComparison(proportions)
    let held = [test.first, test.second].compactMap(\.self).map { index in
      Driver.Condition(key: keys[conditions[index].key], value: conditions[index].value.value)
    }
    return Driver(
      conditions: held, groups: test.inside.groups, rate: proportions.rateB, restRate: proportions.rateA,
      difference: comparison.difference, differenceInterval: comparison.low...comparison.high,
      lost: Int(lost(test.inside).rounded(.toNearestOrAwayFromZero)), p: test.p, q: q)
  }
}
