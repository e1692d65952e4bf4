import FunnelModel
import FunnelTestSupport
import Testing

@Suite struct SegmentConditionTests {
  /// Returns whether a condition holds for a value.
  private func holds(_ text: String, _ value: PropertyValue) throws -> Bool {
    try #require(SegmentCondition(text), "\(text)").holds(for: value)
  }

  // MARK: - Reading

  @Test(arguments: [
    ("ctx.country=DE", "ctx.country=DE"), ("ctx.country==DE", "ctx.country=DE"), (" ctx.country  =  DE ", "ctx.country=DE"),
    ("ctx.country = DE , AT", "ctx.country=DE,AT"), ("ctx.country != DE", "ctx.country!=DE"), ("ctx.x=", "ctx.x="),
    ("ctx.x =  , a", "ctx.x=,a"), (#"ctx.x=a\,b, c"#, #"ctx.x=a\,b,c"#), (#"ctx.x=a\b"#, #"ctx.x=a\b"#),
    (#"ctx.x=a\ ,b"#, #"ctx.x=a\ ,b"#), (#"ctx.x=a\\,b"#, #"ctx.x=a\\,b"#), ("ctx.x ~ a*, b?", "ctx.x~a*, b?"),
    ("ctx.x!~a", "ctx.x!~a"), ("ctx.x~", "ctx.x="), ("ctx.x !~ ", "ctx.x!="),
    ("ctx.app_version >= 5.2", "ctx.app_version>=5.2"),
    ("ctx.app_version>=5.2", "ctx.app_version>=5.2"), ("props.n<-1e3", "props.n<-1e3"), ("props.n <= 3", "props.n<=3"),
    ("props.n>3", "props.n>3"), ("day>=2026-11", "day>=2026-11"), ("week<2026-W4", "week<2026-W4"), ("version=2", "version=2"),
    ("step.photos.props.trigger=a", "step.photos.props.trigger=a"), ("step.photos.ctx.x!~b", "step.photos.ctx.x!~b"),
    ("ctx.x=a=b", "ctx.x=a=b"), ("ctx.x===", "ctx.x==="), ("ctx.x=~a", "ctx.x=~a"), ("ctx.x=\u{338}", "ctx.x=\u{338}"),
    ("ctx.a b=c", "ctx.a b=c"), ("ctx.x=a\tb\n", "ctx.x=a\tb"),
  ])
  func `a condition is read as key, operator and value, and prints without superfluous blanks`(text: String, printed: String)
    throws
  {
    let condition = try #require(SegmentCondition(text))
    #expect(condition.description == printed)
    #expect(SegmentCondition(printed) == condition)
  }

  @Test func `the key ends at the operator`() throws {
    #expect(try #require(SegmentCondition("ctx.app_version>=5.2")).dimension == .context("app_version"))
    #expect(try #require(SegmentCondition("props.a.b!~x=y")).dimension == .property("a.b"))
    #expect(try #require(SegmentCondition("step.pin.props.k<5")).dimension == .step(id: "pin", .property("k")))
  }

  @Test(arguments: [
    ("ctx.a", "no operator in the condition", "write it as ctx.a=VALUE, or with !=, ~, !~, <, <=, > or >= in place of ="),
    ("ctx.a!b", "no operator in the condition", "write it as ctx.a=VALUE, or with !=, ~, !~, <, <=, > or >= in place of ="),
    ("", "no operator in the condition", "write it as ctx.KEY=VALUE, or with !=, ~, !~, <, <=, > or >= in place of ="),
    ("=5", "no key before =", "write it as ctx.KEY=VALUE"),
    (" >= 5", "no key before >=", "write it as ctx.KEY>=VALUE"),
    ("variant=A", "not a key", "did you mean ctx.variant or props.variant?"),
    ("ctx.x>=", "no value after >=", "write it as ctx.x>=5.2"),
    ("day<", "no value after <", "write it as day<2026-11-20"),
    (
      "ctx.x>abc", "neither a number nor a version after >", "write it as ctx.x>5.2, or compare texts with = or ~"
    ),
    (
      "ctx.x<>5", "neither a number nor a version after <", "write it as ctx.x<5.2, or compare texts with = or ~"
    ),
    ("day>=monday", "not a day after >=", "write it as day>=2026-11-20"),
    ("day>=2026-11-20T", "not a day after >=", "write it as day>=2026-11-20"),
    ("week<=2026-47", "not a week after <=", "write it as week<=2026-W47"),
    ("month>2026-11-20", "not a month after >", "write it as month>2026-11"),
  ])
  func `what is no condition says what is wrong and what to write`(text: String, what: String, remedy: String) {
    #expect(SegmentCondition(text) == nil)
    let problem = #expect(throws: SegmentCondition.Problem.self) { try SegmentCondition(reading: text) }
    #expect(problem?.what == what)
    #expect(problem?.remedy == remedy)
  }

  @Test(arguments: [
    ("variant", "did you mean ctx.variant or props.variant?"), ("context.variant", "did you mean ctx.variant?"),
    ("ctxx.variant", "did you mean ctx.variant?"), ("Props.x", "did you mean props.x?"),
    ("property.x", "did you mean props.x?"),
    ("ctx.", "did you mean ctx.KEY?"), ("days", "did you mean day?"), ("Week", "did you mean week?"),
    ("versoin", "did you mean version?"), ("step.photos", "did you mean step.photos.props.KEY or step.photos.ctx.KEY?"),
    ("step.photos.x", "did you mean step.photos.props.x or step.photos.ctx.x?"),
    ("step.photos.prop.x", "did you mean step.photos.props.x?"), ("step.photos.ctx", "did you mean step.photos.ctx.KEY?"),
    ("device.model", "did you mean ctx.device.model or props.device.model?"),
    (
      "step.No Name.x",
      "give ctx.KEY, props.KEY, step.ID.props.KEY, step.ID.ctx.KEY, day, week, month, hour, weekday or version"
    ),
    ("", "give ctx.KEY, props.KEY, step.ID.props.KEY, step.ID.ctx.KEY, day, week, month, hour, weekday or version"),
  ])
  func `what is no key is told with the nearest form`(text: String, advice: String) {
    #expect(Dimension(text) == nil)
    #expect(Dimension.advice(insteadOf: text) == advice)
  }

  // MARK: - Equality

  @Test func `any of a list is meant by =, none of it by !=`() throws {
    for (value, isIn) in [("DE", true), ("AT", true), ("CH", false), ("", false), ("de", false), ("DE,AT", false)] {
      #expect(try holds("ctx.x=DE, AT", .string(value)) == isIn, "\(value)")
      #expect(try holds("ctx.x!=DE, AT", .string(value)) != isIn, "\(value)")
    }
    #expect(try holds(#"ctx.x=a\,b,c"#, .string("a,b")))
    #expect(try !holds(#"ctx.x=a\,b,c"#, .string("a")))
  }

  @Test func `what is absent is meant by an empty value or item, and by no other`() throws {
    for text in ["ctx.x=", "ctx.x=DE,", "ctx.x~", "ctx.x!=DE", "ctx.x!~D*", "ctx.x!=null"] {
      #expect(try holds(text, .null), "\(text)")
    }
    for text in ["ctx.x!=", "ctx.x!=DE,", "ctx.x!~", "ctx.x=DE", "ctx.x~*", "ctx.x=null", "ctx.x<5", "ctx.x>=0"] {
      #expect(try !holds(text, .null), "\(text)")
    }
    // An empty text is a value, and has its own segment in a report.
    #expect(try !holds("ctx.x=", .string("")))
    #expect(try holds("ctx.x!=", .string("")))
    #expect(try holds("ctx.x~*", .string("")))
    #expect(try holds("ctx.x=null", .string("null")))
  }

  @Test(arguments: [
    ("3", PropertyValue.integer(3), true), ("3", .string("3"), true), ("3.0", .integer(3), true), ("3.0", .string("3"), true),
    ("3.0", .string("3.0"), true), ("30e-1", .integer(3), true), ("0.1", .double(0.1), true), (".1", .double(0.1), false),
    ("03", .integer(3), false), ("+3", .integer(3), false), ("-0", .integer(0), true), ("1e16", .double(1e16), true),
    ("10", .string("1e1"), true), ("1e1", .string("10"), true), ("4.5", .string("4.50"), true), ("03", .string("3"), false),
    ("12345678901234567890", .string("12345678901234567891"), false), ("true", .bool(true), true),
    ("true", .string("true"), true), ("True", .bool(true), false), ("false", .bool(true), false),
    ("1", .bool(true), false), ("9007199254740993", .integer(9_007_199_254_740_993), true),
    ("9007199254740993", .integer(9_007_199_254_740_992), false), ("9223372036854775807", .integer(.max), true),
    ("9223372036854775808", .integer(.max), false), ("-9223372036854775808", .integer(.min), true),
    ("1e400", .integer(.max), false),
    ("é", .string("e\u{301}"), false), ("é", .string("é"), true),
  ])
  func `values are equal as a person writes them, numbers by what they amount to`(
    text: String, value: PropertyValue, isEqual: Bool
  )
    throws
  {
    #expect(try holds("ctx.x=\(text)", value) == isEqual)
    #expect(try holds("ctx.x!=\(text)", value) != isEqual)
  }

  // MARK: - Globs

  @Test(arguments: [
    ("pin_*", "pin_setup", true), ("pin_*", "pin_", true), ("pin_*", "xpin_", false), ("*setup", "pin_setup", true),
    ("p?n", "pin", true), ("p?n", "pn", false), ("?", "é", true), ("?", "e\u{301}", false), ("??", "e\u{301}", true),
    ("*a*b*", "xxaxxbxx", true), ("*a*b*", "xxbxxaxx", false), ("a*a", "a", false), ("a**a", "aa", true), ("A*", "abc", false),
    ("a,b*", "a,bc", true), ("[a]*", "a", false), ("*ab", "aab", true), ("*aab", "aaab", true), ("a?*c", "abc", true),
    ("*", "", true),
    ("a.c", "abc", false), ("😀*", "😀x", true),
  ])
  func `a glob is of the whole text`(pattern: String, text: String, matches: Bool) throws {
    #expect(try holds("ctx.x~\(pattern)", .string(text)) == matches)
    #expect(try holds("ctx.x!~\(pattern)", .string(text)) != matches)
  }

  @Test func `a glob sees numbers and booleans as they are written`() throws {
    #expect(try holds("ctx.x~5*", .integer(52)))
    #expect(try holds("ctx.x~?.5", .double(1.5)))
    #expect(try holds("ctx.x~t*", .bool(true)))
    #expect(try !holds("ctx.x~*", .null))
    #expect(try holds("ctx.x!~*", .null))
  }

  @Test func `no glob takes more steps than its length times that of the text`() throws {
    let condition = try #require(SegmentCondition("ctx.x~" + String(repeating: "*a", count: 100) + "*b"))
    let time = ContinuousClock().measure { #expect(!condition.holds(for: .string(String(repeating: "a", count: 5000)))) }
    #expect(time < .seconds(20), "\(time)")
  }

  // MARK: - Order

  @Test(arguments: [
    (PropertyValue.string("5.10"), "5.9", -1), (.string("5.9"), "5.10", 1), (.string("5.2.0"), "5.2", 0),
    (.string("5.2-beta"), "5.2", -1), (.string("5.2.1"), "5.2-beta", 1), (.integer(5), "5.2", -1), (.double(5.10), "5.9", -1),
    (.string("5.10"), "5.2.0", 1), (.string("4.25"), "4.5", -1), (.string("1e1"), "9.5", 1), (.string("-3"), "5", -1),
    (.string("5"), "-3", 1),
    (.string("12345678901234567890"), "12345678901234567891", -1),
    (.string("-12345678901234567890"), "-12345678901234567891", 1),
    (.integer(5), "5.2.0", -1), (.integer(6), "5.2.0", 1), (.double(5.5), "5.2.0", 1), (.integer(3), "3.0", 0),
    (.integer(9_007_199_254_740_993), "9007199254740992", 1), (.integer(9_007_199_254_740_992), "9007199254740992.5", -1),
    (.integer(-3), "-2.5", -1), (.integer(-2), "-2.5", 1), (.integer(.max), "9223372036854775807.5", -1),
    (.integer(.max), "9223372036854775808", -1), (.integer(.min), "-9223372036854775808", 0),
    (.integer(.min), "-9223372036854775808.1", 1), (.integer(.min), "-9223372036854775809", 1), (.integer(.max), "1e400", -1),
    (.double(1e300), "1e400", -1), (.double(-1e300), "-1e400", 1), (.integer(0), "1e-400", -1), (.integer(0), "-1e-400", 1),
    (.integer(0), "0e999999999999999999999", 0), (.integer(1), "1e-999999999999999999999", 1), (.double(0.1), "0.1", 0),
    (.string("10"), "9", 1), (.string("1000"), "999.9", 1),
  ])
  func `numbers are compared as numbers, also as texts, everything else as versions`(
    value: PropertyValue, bound: String, order: Int
  ) throws {
    #expect(try holds("ctx.x<\(bound)", value) == (order < 0))
    #expect(try holds("ctx.x<=\(bound)", value) == (order <= 0))
    #expect(try holds("ctx.x>\(bound)", value) == (order > 0))
    #expect(try holds("ctx.x>=\(bound)", value) == (order >= 0))
  }

  @Test(arguments: [
    (PropertyValue.string("abc"), "5"), (.null, "5"), (.bool(true), "1"), (.string(""), "0"), (.string("v5.2"), "5.2"),
    (.string("-3"), "5.2.1"), (.string("true"), "1"),
  ])
  func `what can't be compared meets no comparison`(value: PropertyValue, bound: String) throws {
    for sign in ["<", "<=", ">", ">="] { #expect(try !holds("ctx.x\(sign)\(bound)", value), "\(sign)") }
  }

  @Test(arguments: [
    ("day", "2026-11-20", "2026-11-20", 0), ("day", "2026-11-20", "2026-11-21", -1), ("day", "2026-11-20", "2026-11", 0),
    ("day", "2026-12-01", "2026-11", 1), ("week", "2026-W09", "2026-W10", -1), ("week", "2027-W01", "2026-W53", 1),
    ("month", "2026-11", "2026-11", 0), ("month", "2026-11", "2026", 0), ("month", "2026-09", "2026-1", -1),
  ])
  func `days, weeks and months are compared as time, and a shorter text means all it begins`(
    dimension: String, value: String, bound: String, order: Int
  ) throws {
    #expect(try holds("\(dimension)<\(bound)", .string(value)) == (order < 0))
    #expect(try holds("\(dimension)<=\(bound)", .string(value)) == (order <= 0))
    #expect(try holds("\(dimension)>\(bound)", .string(value)) == (order > 0))
    #expect(try holds("\(dimension)>=\(bound)", .string(value)) == (order >= 0))
  }

  @Test(arguments: [
    ("hour", "09", "9", 0), ("hour", "09", "10", -1), ("hour", "23", "09", 1), ("weekday", "Mon", "Sun", -1),
    ("weekday", "Sun", "Fri", 1), ("weekday", "Wed", "Wed", 0),
  ])
  func `hours are compared by their number, and days of the week from Monday to Sunday`(
    dimension: String, value: String, bound: String, order: Int
  ) throws {
    #expect(try holds("\(dimension)<\(bound)", .string(value)) == (order < 0))
    #expect(try holds("\(dimension)>=\(bound)", .string(value)) == (order >= 0))
    #expect(SegmentCondition("\(dimension)<noon") == nil)
  }

  @Test(arguments: ["ctx.app_version", "ctx.os_version", "step.one.ctx.app_version"])
  func `versions are compared as versions, and as the texts they are`(key: String) throws {
    #expect(try holds("\(key)>5.9", .string("5.10")))
    #expect(try holds("\(key)<5.9", .double(5.1)))
    #expect(try !holds("\(key)=5.1", .string("5.10")))
    #expect(try holds("\(key)=5.10", .string("5.10")))
    #expect(try holds("\(key)=18", .integer(18)))
    #expect(try !holds("\(key)<1e1", .string("5.10")))
  }

  @Test func `a definition says which further keys are versions`() throws {
    let flow = try FlowDefinition(
      json: Array(#"{"app":"a","flow":"f","version":1,"versions":["props.sdk"],"steps":[{"id":"one"}]}"#.utf8), source: "f")
    let condition = try #require(SegmentCondition("props.sdk>5.9"))
    #expect(condition.holds(for: .string("5.10"), isVersion: flow.isVersion(condition.dimension)))
    #expect(!condition.holds(for: .string("5.10")))
    #expect(flow.isVersion(.step(id: "one", .property("sdk"))) && !flow.isVersion(.context("sdk")))
  }
}
