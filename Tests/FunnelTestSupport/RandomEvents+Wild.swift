/// A JSON value that can be written in many equivalent ways.
package indirect enum WildValue: Sendable {
  case string(String)
  case number([String])
  case literal(String)
  case object([(key: String, value: WildValue)])

  /// Returns one text of the value: members in any order, white space anywhere, characters escaped or not.
  package func text(using random: inout some RandomNumberGenerator) -> String {
    switch self {
    case .string(let text): return Self.quoted(text, using: &random)
    case .number(let spellings): return spellings.randomElement(using: &random) ?? "0"
    case .literal(let text): return text
    case .object(let members):
      let texts = members.shuffled(using: &random).map { member in
        let key = Self.quoted(member.key, using: &random)
        return key + Self.space(using: &random) + ":" + Self.space(using: &random) + member.value.text(using: &random)
      }
      let separator = Self.space(using: &random) + "," + Self.space(using: &random)
      return "{" + Self.space(using: &random) + texts.joined(separator: separator) + Self.space(using: &random) + "}"
    }
  }

  private static func space(using random: inout some RandomNumberGenerator) -> String {
    ["", "", "", " ", "\t", "  "].randomElement(using: &random) ?? ""
  }

  private static func quoted(_ text: String, using random: inout some RandomNumberGenerator) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      let mustEscape = scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
      if mustEscape || Int.random(in: 0..<8, using: &random) == 0 {
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16, uppercase: Bool.random(using: &random))
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

extension RandomEvents {
  /// Returns a valid event of the app `cleaner` with random fields, properties and characters.
  package static func wildEvent(using random: inout some RandomNumberGenerator) -> WildValue {
    var members: [(key: String, value: WildValue)] = [
      ("name", .string("opened")), ("subject", .string("s" + wildText(0...20, using: &random).filter { !$0.isControl })),
      ("app", .string("cleaner")), ("ts", wildTime(using: &random)),
    ]
    let optional: [(key: String, value: WildValue)] = [
      ("flow", .string("permissions_flow")), ("flow_version", .number(["1", "1.0", "1e0"])),
      ("user", .string("u" + wildText(0...20, using: &random).filter { !$0.isControl })),
      ("attempt", .string(wildText(0...9, using: &random))),
      ("seq", .number(["7", "7.0", "70e-1"])), ("step", .string("photos")),
      ("id", .string("i" + wildText(0...9, using: &random))),
      ("v", .number(["1", "1.0"])), ("props", wildObject(using: &random)), ("ctx", wildObject(using: &random)),
      ("sent_at", .literal(#""2026-11-20T10:00:00Z""#)), ("received_at", .literal(#""2026-11-20T10:00:09Z""#)),
      ("screen_\(wildText(0...3, using: &random))", wildScalar(using: &random)),
    ]
    members += optional.filter { _ in Bool.random(using: &random) }
    return .object(members)
  }

  /// Returns one text of such an event.
  package static func wildLine(using random: inout some RandomNumberGenerator) -> String {
    wildEvent(using: &random).text(using: &random)
  }

  private static func wildTime(using random: inout some RandomNumberGenerator) -> WildValue {
    let minute = Int.random(in: 10..<60, using: &random)
    let milliseconds = 1_795_168_800_000 + minute * 60_000
    return [
      .literal("\"2026-11-20T10:\(minute):00Z\""), .literal("\"2026-11-20T10:\(minute):00.0004Z\""),
      .literal("\"2026-11-20T11:\(minute):00+01:00\""), .number(["\(milliseconds)", "\(milliseconds).0"]),
    ].randomElement(using: &random) ?? .number(["\(milliseconds)"])
  }

  private static func wildObject(using random: inout some RandomNumberGenerator) -> WildValue {
    .object(
      (0..<Int.random(in: 0...20, using: &random)).map {
        ("\($0)_" + wildText(0...6, using: &random), wildScalar(using: &random))
      })
  }

  private static func wildScalar(using random: inout some RandomNumberGenerator) -> WildValue {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: return .string(wildText(0...30, using: &random))
    case 1: return .literal(["true", "false", "null"].randomElement(using: &random) ?? "null")
    case 2: return .number(["\(Int64.random(in: .min ... .max, using: &random))"])
    case 3:
      let number = Double(bitPattern: UInt64.random(in: 0..<0x7FF0_0000_0000_0000, using: &random))
      return .number(["\(number)"])
    default:
      let whole = Int64.random(in: -1_000_000...1_000_000, using: &random)
      return .number(["\(whole)", "\(whole).0", "\(whole)e0", "\(whole)00e-2"])
    }
  }

  private static func wildText(_ lengths: ClosedRange<Int>, using random: inout some RandomNumberGenerator) -> String {
    let scalars = Array(
      "abcXYZ019_ -./\"\\\u{0}\u{7}\n\t\u{1F}\u{7F}\u{80}\u{9F}éßж日本\u{2028}\u{FEFF}\u{FFFD}😀🇩\u{301}".unicodeScalars)
    var text = ""
    for _ in 0..<Int.random(in: lengths, using: &random) {
      text.unicodeScalars.append(scalars.randomElement(using: &random) ?? "x")
    }
    return text
  }
}

extension Character {
  fileprivate var isControl: Bool { unicodeScalars.contains { $0.properties.generalCategory == .control } }
}
