internal import FunnelModel

extension Query {
  /// A key by which groups are split or filtered.
  public enum Dimension: Hashable, Sendable {
    /// A property of the anchor.
    case property(String)
    /// A value of the anchor's context, such as `app_version`.
    case context(String)
    /// A property of the event that entered a step.
    case stepProperty(step: String, String)
    /// The day, such as `2026-11-20`.
    case day
    /// The ISO week, such as `2026-W47`.
    case week
    /// The month, such as `2026-11`.
    case month
    /// The hour of the day, `00` to `23`.
    case hour
    /// The day of the week, `Mon` to `Sun`.
    case weekday
    /// The version of the flow.
    case version
    /// The subject. Only filters may use it.
    case subject
  }

  /// A condition on the value of a dimension.
  public struct Filter: Hashable, Sendable {
    /// A test of a value.
    public enum Test: Hashable, Sendable {
      /// The value is one of a list. An empty text is an absent value.
      case isOneOf([String])
      /// The value is none of a list.
      case isNoneOf([String])
      /// The text matches a pattern with `*` for any characters, and `?` for one.
      case matches(String)
      /// The text does not match a pattern.
      case doesNotMatch(String)
      /// The number, version or date is less than another.
      case isLess(String)
      /// The number, version or date is at most another.
      case isAtMost(String)
      /// The number, version or date is greater than another.
      case isGreater(String)
      /// The number, version or date is at least another.
      case isAtLeast(String)
    }

    /// The dimension whose value is tested.
    public var dimension: Dimension
    /// The test.
    public var test: Test

    /// Creates a filter.
    public init(_ dimension: Dimension, _ test: Test) {
      self.dimension = dimension
      self.test = test
    }
  }
}

extension Query.Dimension {
  /// The dimension in the syntax of the command line.
  var text: String {
    switch self {
    case .property(let key): "props.\(key)"
    case .context(let key): "ctx.\(key)"
    case .stepProperty(let step, let key): "step.\(step).props.\(key)"
    case .day: "day"
    case .week: "week"
    case .month: "month"
    case .hour: "hour"
    case .weekday: "weekday"
    case .version: "version"
    case .subject: "subject"
    }
  }

  /// Returns the dimension of the engine for ``Query/by``.
  ///
  /// - Throws: `usage` if it has no valid key, or is ``subject``.
  func checked() throws(FunnelError) -> FunnelModel.Dimension {
    guard let dimension = FunnelModel.Dimension(text) else {
      throw FunnelError(.usage, "not a key, \(text.printable), \(FunnelModel.Dimension.advice(insteadOf: text))")
    }
    guard dimension != .subject else {
      throw FunnelError(.usage, "subject can be used only in filters, by subject, filter by it instead")
    }
    return dimension
  }
}

extension Query.Filter {
  /// Returns the condition of the engine.
  ///
  /// - Throws: `usage` if the dimension has no valid key, or if the operand is not valid.
  func condition() throws(FunnelError) -> SegmentCondition {
    switch test {
    case .isOneOf(let values): try condition(.equal, anyOf: values)
    case .isNoneOf(let values): try condition(.notEqual, anyOf: values)
    case .matches(let pattern): try condition(.like, pattern)
    case .doesNotMatch(let pattern): try condition(.notLike, pattern)
    case .isLess(let bound): try condition(.less, bound)
    case .isAtMost(let bound): try condition(.atMost, bound)
    case .isGreater(let bound): try condition(.greater, bound)
    case .isAtLeast(let bound): try condition(.atLeast, bound)
    }
  }

  private func condition(
    _ comparison: SegmentCondition.Operator, anyOf values: [String]
  ) throws(FunnelError) -> SegmentCondition {
    guard let first = values.first else {
      throw FunnelError(.usage, "a filter without values, \(dimension.text.printable), give at least one")
    }
    // Parsed once, so that a wrong key has the message of all conditions.
    return SegmentCondition(try condition(comparison, first).dimension, comparison, anyOf: values)
  }

  private func condition(_ comparison: SegmentCondition.Operator, _ operand: String) throws(FunnelError) -> SegmentCondition {
    let text = "\(dimension.text)\(comparison.rawValue) \(operand)"
    do throws(SegmentCondition.Problem) {
      return try SegmentCondition(reading: text)
    } catch {
      throw FunnelError(.usage, "\(error.what), \(text.printable), \(error.remedy)")
    }
  }
}
