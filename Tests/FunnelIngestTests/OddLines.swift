import FunnelTestSupport

/// Random logs of valid and invalid lines in many shapes, to find errors that occur in a batch of lines but not in a single
/// one.
struct OddLines {
  /// The percentage of lines that are broken on purpose.
  var brokenPercentage: Int
  private var random: SeededGenerator

  init(seed: UInt64, brokenPercentage: Int) {
    random = SeededGenerator(seed: seed)
    self.brokenPercentage = brokenPercentage
  }

  /// Returns the text of a log with a number of lines, and various line breaks and blank lines between them.
  mutating func text(_ count: Int) -> [UInt8] {
    var text: [UInt8] = []
    for number in 0..<count {
      text += line(number)
      if number + 1 < count || Bool.random(using: &random) { text += Array(pick(Self.lineEnds).utf8) }
    }
    return text
  }

  private mutating func line(_ number: Int) -> [UInt8] {
    var line: [UInt8]
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<3: line = Array(RandomEvents.lines(1, .init(hasBadLines: false), using: &random)[0].utf8)
    case 3: line = Array(RandomEvents.wildLine(using: &random).utf8)
    default: line = Array(shapedLine(number).utf8)
    }
    if isBroken() { damage(&line) }
    return line
  }

  private mutating func isBroken() -> Bool { Int.random(in: 0..<100, using: &random) < brokenPercentage }

  private mutating func pick<Element>(_ choices: [Element]) -> Element {
    choices[Int.random(in: 0..<choices.count, using: &random)]
  }

  /// Returns an event with fields, values and white space of many kinds.
  private mutating func shapedLine(_ number: Int) -> String {
    var fields = [
      (#""name""#, pick([#""opened""#, #""perm_flow_start""#, #""perm_photos_granted""#])),
      (#""ts""#, time()), (#""subject""#, "\"s\(number % 7)\""), (#""app""#, #""cleaner""#),
    ]
    for field in optionalFields(number) where Int.random(in: 0..<3, using: &random) == 0 { fields.append(field) }
    if isBroken() { alter(&fields) }
    if Int.random(in: 0..<3, using: &random) == 0 { fields.shuffle(using: &random) }
    let isPlain = Int.random(in: 0..<4, using: &random) > 0
    let (colon, comma) = isPlain ? (":", ",") : (pick(Self.colons), pick(Self.commas))
    return pick(isPlain ? ["{"] : ["{", " {", "{\t"]) + fields.map { $0.0 + colon + $0.1 }.joined(separator: comma)
      + pick(isPlain ? ["}"] : ["}", " }", "} ", "}\t"])
  }

  private mutating func optionalFields(_ number: Int) -> [(String, String)] {
    [
      (#""id""#, pick(["\"i\(number % 50)\"", #""\u0069\n""#])), (#""seq""#, pick(["0", "7", "7.0", "70e-1"])),
      (#""user""#, pick([#""u1""#, "\"u\(number % 5)\"", #""\u0075\"1""#, #""anonymous""#])),
      (#""attempt""#, pick([#""a1""#, #""""#])), (#""flow""#, #""permissions_flow""#),
      (#""flow_version""#, pick(["1", "1.0"])), (#""step""#, #""photos""#), (#""v""#, pick(["1", "1.0"])),
      (#""sent_at""#, time()), (#""received_at""#, time()), (#""device_ts""#, time()),
      (#""props""#, object()), (#""ctx""#, object()), (pick(Self.keys), scalar()), (pick(Self.keys), scalar()),
    ]
  }

  private mutating func time() -> String { isBroken() ? pick(Self.oddTimes) : pick(Self.goodTimes) }

  private mutating func scalar() -> String {
    if isBroken() { return pick(Self.badValues + Self.badNumbers) }
    return pick(Bool.random(using: &random) ? Self.goodStrings : Self.goodNumbers)
  }

  /// Returns an object with up to thirty keys, in a new shape or one that occurred before.
  private mutating func object() -> String {
    let count = pick([0, 1, 2, 2, 3, 3, 4, 20, 23, 24, 25, 30])
    var keys = (0..<count).map { "\"k\($0)\"" }
    if count > 0, Bool.random(using: &random) { keys[keys.count - 1] = pick(Self.keys) }
    if isBroken(), count > 1 { keys[0] = pick(keys) }
    if Int.random(in: 0..<4, using: &random) == 0 { keys.shuffle(using: &random) }
    return "{" + keys.map { key in key + ":" + scalar() }.joined(separator: ",") + "}"
  }

  /// Removes, duplicates or changes a field.
  private mutating func alter(_ fields: inout [(String, String)]) {
    let index = Int.random(in: 0..<fields.count, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: fields.remove(at: index)
    case 1: fields.append(fields[index])
    case 2: fields[index].1 = pick(Self.badValues)
    case 3: fields[index].1 = pick(Self.badNumbers)
    case 4: fields[1].1 = pick(Self.oddTimes)
    default: fields[index].1 = pick(Self.goodStrings + Self.goodNumbers)
    }
  }

  /// Changes, inserts or removes bytes of a line, splits it, or appends another line to it.
  private mutating func damage(_ line: inout [UInt8]) {
    let place = Int.random(in: 0..<max(line.count, 1), using: &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0: line.removeSubrange(place..<min(place + 1, line.count))
    case 1: line.insert(pick(Self.bytes), at: place)
    case 2 where !line.isEmpty: line[place] = pick(Self.bytes)
    case 3: line.removeSubrange(place...)
    case 4: line.insert(UInt8(ascii: "\n"), at: place)
    case 5: line = Array("\u{FEFF}".utf8) + line
    case 6: line += Array(pick([" ", ",", "{}", "\n{\"v\":"]).utf8) + Array(shapedLine(place).utf8)
    default: line += Array(pick(["\\", "\"", "}", "x", "\r", "\\\"", "\u{0}", "]", "[", "{", ",", "\u{B}"]).utf8)
    }
  }

  private static let lineEnds = ["\n", "\n", "\n", "\n", "\n", "\r\n", "\n\n", " \r\n \t\n", "\r\r\n"]
  private static let colons = [":", " :", ": ", " : ", "\t:\t", "\r:"]
  private static let commas = [",", " ,", ", ", "\t,\t", " , "]
  private static let bytes: [UInt8] =
    Array("\"\\{}[]:, \t\r\u{0}\u{B}\u{1F}\u{7F}0-+.eEtTzZ@".utf8) + [0x80, 0xBF, 0xC3, 0xE2, 0xED, 0xF0, 0xFF]
}

extension OddLines {
  fileprivate static let keys = [
    #""k0""#, #""trigger""#, #""screen""#, #""x""#, #""""#, #""namex""#, #""receives_at""#, #""n\u0061me""#, #""\u006b0""#,
    #""email""#, #""suggestedContactName""#, #""pin_set""#, #""PINs""#,
    #""latitude""#, #""p\u0068one""#, #""é""#, #""a\"b""#, "\"\(String(repeating: "k", count: 32))\"",
    "\"\(String(repeating: "k", count: 33))\"", "\"\(String(repeating: "k", count: 200))\"", #""a b""#, "\"\u{7F}\"",
    #""device_tt""#,
  ]
  fileprivate static let goodNumbers = [
    "0", "-0", "1e2", "1E+2", "1.0", "-1.5", "123456789012345678", "1234567890123456789", "-1234567890123456789",
    "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615", "0.1e-400", "5e-324",
    "1.7976931348623157e308", "9007199254740993.0", "0.30000000000000004", "-0.0", "true", "false", "null",
  ]
  fileprivate static let badNumbers = [
    "1e400", "-1e400", "01", "-01", "00", "+1", "1.", ".5", "-", "1e", "1e+", "--1", "0x1", "1_0", "1 2", "1\u{C}", "1\u{0}",
    "18446744073709551616", "123456789012345678901", "-9223372036854775809", "NaN", "Infinity", "tru", "truee", "nul", "nulL",
    "false1", "True", "",
  ]
  fileprivate static let goodStrings = [
    #""""#, #""x""#, #""a\"b""#, #""\\""#, #""\\\\\"""#, #""\/\b\f\n\r\t""#, #""\u0000""#, #""\ud83d\ude00""#, #""é日本😀""#,
    "\"\u{7F}\"", "\"\u{80}\u{9F}\"", "\"\u{85}\u{2028}\u{FEFF}\"", #""{\"a\":[1,2]}""#, #""a , b : c""#, #""+1""#,
    #""50 % \u0041""#, #""10:15+01:00""#, #""1.2.3+20261120""#, #""a*b;c:d""#, #""tel:112""#,
  ]
  fileprivate static let badValues = [
    #""ann@example.org""#, #""ann\u0040example.org""#, #""+4915112345678""#, #""\u002b4915112345678""#, #""\ud83d""#,
    #""see ann@example.org""#, #""call +49 (30) 123-4567""#, #""tel:4155552671""#, #""tel\u003a4155552671""#,
    #""x;sms:030 1234567""#,
    #""\ude00""#,
    #""\ud83d\u0041""#, #""\ud83dx""#, #""\x""#, #""\u12""#, #""\uZZZZ""#, "\"a\u{0}b\"", "\"a\tb\"", "\"a\u{1F}b\"", #""open"#,
    #""open\""#, #""a"b""#, #""a""b""#, #"'a'"#, "[]", "[1,[2,{\"a\":1}]]", "{}", "{\"a\":{}}", "{\"a\":1}", "[", "{", "}", "]",
    "[}",
    "{\"a\":1", "{,}", "{\"a\":1,}", "{\"a\"}", "{\"a\":}", "{1:2}", "\"\(String(repeating: "y", count: 128))\"",
    "\"\(String(repeating: "y", count: 129))\"", "\"\(String(repeating: #"\u0079"#, count: 128))\"",
    "\"\(String(repeating: #"\u0079"#, count: 129))\"", #""Opened""#, #""s\u0007""#, "\"s\u{7F}\"", "\"s\u{85}\"",
    "\"\u{9F}s\"",
    String(repeating: "[", count: 70) + String(repeating: "]", count: 70),
  ]
  fileprivate static let goodTimes = [
    #""2026-11-20T10:15:30.123Z""#, #""2026-11-20T10:15:30.456Z""#, #""2026-11-20T23:59:59.999Z""#,
    #""2026-11-19T00:00:00.000Z""#,
    #""2026-11-20T10:15:30Z""#, #""2026-11-20T10:15:30.1Z""#, #""2026-11-20T10:15:30.123456Z""#,
    #""2026-11-20T11:15:30+01:00""#,
    #""2026-11-20t10:15:30.123z""#, #""2026-11-20T10:15:30.123z""#, #""2024-02-29T10:15:30.123Z""#,
    #""2026-11-20T23:59:60.123Z""#,
    #""2026-11-20T10:15:60.123Z""#, #""2026-11-20T10\u003a15:30.123Z""#, #""2026-11-20 10:15:30.123Z""#, "1795168800000",
    "1795168800000.0", "1.7951688e12",
  ]
  fileprivate static let oddTimes = [
    #""2026-11-20T24:00:00.000Z""#, #""2026-11-20T10:60:30.123Z""#, #""2026-11-20T10:15:61.123Z""#,
    #""2026-11-20T10:15:3 .123Z""#,
    #""2026-11-20T10:15:30,123Z""#, #""2026-11-20X10:15:30.123Z""#, #""2026-11-20T10:15:30.12aZ""#,
    #""2026-11-20T10-15:30.123Z""#,
    #""2026-11-31T10:15:30.123Z""#, #""2026-13-20T10:15:30.123Z""#, #""2023-02-29T10:15:30.123Z""#,
    #""2026-11-20T10:15:30.123X""#,
    #""2026-11-20T10:15:30+01:0""#, #""2026-11-20T10:15:3+01:00""#, #""2026-11-20T10:15:30-25:00""#,
    #""2006-12-31T23:59:59.999Z""#,
    #""2007-01-01T00:00:00.000Z""#, #""2026-11-22T12:00:00.000Z""#, #""2026-11-22T12:00:00.001Z""#,
    #""9999-12-31T23:59:60.999Z""#,
    #""2026-11-20T29:15:30.123Z""#, #""2026-11-20T1:15:30.1234Z""#, "0", "-1", "1795168800000.5", "01795168800000",
    "9223372036854775808", "123456789012345678901", "1e300", #""""#, "null",
  ]
}
