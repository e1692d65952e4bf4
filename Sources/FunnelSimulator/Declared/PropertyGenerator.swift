import FunnelModel

/// Invents values that satisfy the schemas of a property.
enum PropertyGenerator: Sendable {
  /// One of these values, as JSON.
  case oneOf([[UInt8]])
  case integer(ClosedRange<Int64>)
  /// A number of hundredths.
  case hundredths(ClosedRange<Int64>)

  /// Creates a generator for a property, or returns nil if no value is found that satisfies all its schemas.
  ///
  /// - Parameter excluded: Values that satisfy the schemas but would break a rule of the flow.
  init?(key: String, schemas: [PropertySchema], excluding excluded: [PropertyValue] = []) {
    func isFit(_ value: PropertyValue) -> Bool {
      !excluded.contains(value) && schemas.allSatisfy { $0.violation(of: value, key: key) == nil }
    }
    let listed = schemas.lazy.compactMap { $0.constant.map { [$0] } ?? $0.allowed }.first
    if let values = listed ?? Self.scalars(for: schemas) {
      let fit = values.filter(isFit)
      guard !fit.isEmpty else { return nil }
      self = .oneOf(fit.map(Self.json))
      return
    }
    let minimum = schemas.compactMap(\.minimum).max()
    let maximum = schemas.compactMap(\.maximum).min()
    if let range = Self.range(minimum, maximum, scale: 1), isFit(.integer(range.lowerBound)) {
      self = .integer(range)
    } else if let range = Self.range(minimum, maximum, scale: 100), isFit(.double(Double(range.lowerBound) / 100)) {
      self = .hundredths(range)
    } else if let bound = minimum ?? maximum, isFit(.double(bound)) {
      self = .oneOf([Self.json(.double(bound))])
    } else {
      return nil
    }
  }

  /// Appends a value as JSON.
  func append(to bytes: inout [UInt8], _ random: inout RandomSource) {
    switch self {
    case .oneOf(let values): bytes += values[random.below(values.count)]
    case .integer(let range): bytes.appendDecimal(random.integer(in: range))
    case .hundredths(let range): bytes.appendJSONNumber(Double(random.integer(in: range)) / 100)
    }
  }

  /// Whether the values are a few that an attempt keeps, such as its type, and not measurements, which differ from event to event.
  var isCategory: Bool { if case .oneOf = self { true } else { false } }

  /// The size of a range of numbers that has one bound, or none.
  private static let openRangeSize = 100.0

  /// Returns the whole multiples of 1/scale between two bounds, or `nil` if there are none, or too large ones to count on.
  private static func range(_ minimum: Double?, _ maximum: Double?, scale: Double) -> ClosedRange<Int64>? {
    let lower = minimum ?? maximum.map { $0 < openRangeSize && $0 >= 0 ? 0 : $0 - openRangeSize } ?? 0
    let upper = maximum ?? lower + openRangeSize
    // Above 2⁵³ doubles skip whole numbers.
    guard abs(lower * scale) < 0x1p53, abs(upper * scale) < 0x1p53 else { return nil }
    let first = Int64((lower * scale).rounded(.up))
    let last = Int64((upper * scale).rounded(.down))
    return first <= last ? first...last : nil
  }

  /// Returns values of the types that are not numbers, or `nil` if a number is wanted.
  private static func scalars(for schemas: [PropertySchema]) -> [PropertyValue]? {
    let types = schemas.compactMap(\.types).first
    if let types {
      if types.contains(.boolean) { return [.bool(true), .bool(false)] }
      if types.contains(.string) { return strings(for: schemas) }
      return types.contains(.integer) || types.contains(.number) ? nil : [.null]
    }
    return schemas.contains { $0.minimum != nil || $0.maximum != nil } ? nil : strings(for: schemas)
  }

  private static let words = ["alpha", "beta", "gamma", "delta"]
  /// Texts of common forms, of which one may match a pattern.
  private static let shapes = [
    "a", "A", "1", "ab", "AB", "DE", "12", "abc", "ABC", "USD", "Alpha", "alpha_one", "alpha-one", "alpha.one", "a1b2c3",
    "1234",
    "1.0", "1.2.3", "v1", "en_US", "en-US", "2026-11-01", "10:15", "#a1b2c3", "com.example.alpha",
    "2026-11-01T10:15:00Z", "00000000-0000-4000-8000-000000000000",
  ]

  /// Returns words of an allowed length or, if there is a pattern, texts of common forms.
  private static func strings(for schemas: [PropertySchema]) -> [PropertyValue] {
    if schemas.contains(where: { $0.pattern != nil }) { return (words + shapes).map(PropertyValue.string) }
    let shortest = min(schemas.compactMap(\.minLength).max() ?? 0, Limits.lineBytesMax / 2)
    let longest = schemas.compactMap(\.maxLength).min() ?? .max
    return words.map { word in
      let long = word + String(repeating: "a", count: max(shortest - word.count, 0))
      return .string(String(long.prefix(max(longest, 0))))
    }
  }

  private static func json(_ value: PropertyValue) -> [UInt8] {
    var bytes: [UInt8] = []
    value.appendJSON(to: &bytes)
    return bytes
  }
}
