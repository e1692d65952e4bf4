@testable import FunnelBindings
import FunnelModel
import Testing

/// What is hard to say in a programming language: words that are reserved, names that collide, texts that would end a comment.
@Suite struct FlowBindingsTests {
  private func bindings(_ json: String, typeName: String? = nil) throws -> FlowBindings {
    FlowBindings(of: try FlowFile(json: Array(json.utf8), name: "a.f.v1.json"), typeName: typeName)
  }

  private func text(_ json: String, _ language: BindingLanguage = .swift) throws -> String {
    try bindings(json).text(in: language, generator: "funnel", renewal: "funnel schema generate")
  }

  private func flow(steps: String = #"{"id":"s"}"#, _ more: String = "") -> String {
    #"{"app":"a","flow":"f","version":1,"steps":[\#(steps)]\#(more)}"#
  }

  @Test func `reserved words are escaped, and what a type has already gets another name`() throws {
    let steps = #"{"id":"default"},{"id":"none"},{"id":"self"},{"id":"rawvalue"},{"id":"step"},{"id":"value"}"#
    let source = try text(flow(steps: steps, #","events":{"name":{},"switch":{},"init":{},"props":{}}"#))
    for line in [
      "case `default` = \"default\"", "case noneStep = \"none\"", "case selfStep = \"self\"", "case rawvalue",
      "case stepStep = \"step\"",
      "case valueStep = \"value\"", "case nameEvent", "case `switch`", "case initEvent", "case propsEvent",
      "case .`switch`: \"switch\"",
    ] {
      #expect(source.contains("    \(line)\n") || source.contains("  \(line)\n"), "\(line)")
    }
  }

  @Test func `names that become one are told apart by numbers`() throws {
    let source = try text(
      flow(#","events":{"a_b":{"props":{"x.y":{"type":"string"},"x-y":{"type":"integer"},"in":{"type":"boolean"}}},"a__b":{}}"#)
    )
    #expect(source.contains("  case aB(in: Bool? = nil, xY: Int? = nil, xY2: String? = nil)\n"))
    #expect(source.contains("  case aB2\n"))
    #expect(
      source.contains(#"["in": p0.map(EventValue.bool), "x-y": p1.map(EventValue.integer), "x.y": p2.map(EventValue.string)]"#))
  }

  @Test func `required properties come first and have no default`() throws {
    let events = #""bought":{"props":{"a":{"type":"string"},"z":{"type":"number"}},"required":["z","extra"]}"#
    let source = try text(flow(#","events":{\#(events)}"#))
    #expect(source.contains("  case bought(extra: EventValue, z: Double, a: String? = nil)\n"))
  }

  @Test func `values of several events share a type only if they are the same`() throws {
    let events = #""x":{"props":{"k":{"enum":["a","b"]}}},"y":{"props":{"k":{"enum":["a","b"]}}}"#
    #expect(try text(flow(#","events":{\#(events)}"#)).contains("case y(k: KValue? = nil)"))
    let different = #""x":{"props":{"k":{"enum":["a","b"]}}},"y":{"props":{"k":{"enum":["a","c"]}}}"#
    let source = try text(flow(#","events":{\#(different)}"#))
    #expect(source.contains("case x(k: XKValue? = nil)") && source.contains("case y(k: YKValue? = nil)"))
  }

  @Test func `a value that meets another schema of the property alone is left out`() throws {
    let json = flow(
      steps: #"{"id":"s","props":{"k":{"enum":["a",1,"bb",null]}}},{"id":"t"}"#,
      #","events":{"step_failed":{"props":{"k":{"type":"string","maxLength":1}}}}"#)
    let bindings = try bindings(json)
    let failed = try #require(bindings.events.first { $0.name == "step_failed" })
    guard case .byStep(let parameters) = failed.form else {
      Issue.record("the properties do not differ by step")
      return
    }
    #expect(parameters[0][0].type == .enumeration(1))
    #expect(bindings.enumerations[1].values == [.string("a")])
    #expect(parameters[1][0].type == .string)
    #expect(parameters[1][0].constraint == "at most 1 characters")
  }

  @Test func `what older builds logged is not offered`() throws {
    let upcasts =
      #","upcasts":[{"from":"old","to":{"name":"new"}},{"from":"x","to":{"name":"x","props.k":{"$map":"props.k","values":{"aB":"a_b"}}}}]"#
    let bindings = try bindings(flow(#","events":{"old":{},"new":{},"x":{"props":{"k":{"enum":["a_b","aB"]}}}}"# + upcasts))
    #expect(bindings.events.map(\.name).filter { !$0.hasPrefix("step_") } == ["new", "x"])
    #expect(bindings.enumerations[0].values == [.string("a_b")])
  }

  @Test func `an event that enters a step by its step or a property has both`() throws {
    let step = #"{"id":"s","entered_by":[{"event":"screen","where":{"step":"other","props.title":"Hi"}}]}"#
    let source = try text(flow(steps: step))
    #expect(source.contains("  case screen(step: Step? = nil, title: EventValue? = nil)\n"))
    #expect(source.contains("    case other\n"))
  }

  @Test(arguments: BindingLanguage.allCases)
  func `no text of a definition ends a comment or a literal`(language: BindingLanguage) throws {
    let attack = #"*/ /* \u0022); evil() // \n\r\u2028\u2029 ${x} \\(y) \\u000a"#
    let json = flow(
      steps: #"{"id":"s","label":"\#(attack)"}"#,
      #","title":"\#(attack)","events":{"x":{"props":{"\#(attack)":{"enum":["\#(attack)","v"]},"p":{"pattern":"[*]*/ evil|/*"}}}}"#
    )
    let lines = try text(json, language).split(separator: "\n", omittingEmptySubsequences: false)
    for line in lines {
      let isText = ["*/", "//", "///", "/**"].contains { line.drop { $0 == " " }.hasPrefix($0) }
      // Outside of comments the words stand in literals, where their quotes and backslashes are escaped.
      let bare = isText ? line[...] : Self.withoutLiterals(line)
      if bare.contains("evil()") { #expect(isText, "\(line)") }
      #expect(!line.unicodeScalars.contains { ["\r", "\u{2028}", "\u{2029}"].contains($0) })
      // A comment of one line is ended once, by its own end.
      if isText, line.contains("/**") { #expect(line.components(of: "*/") == 1 && line.hasSuffix("*/"), "\(line)") }
    }
    #expect(try text(json, language) == text(json, language))
    if language == .kotlin { #expect(!lines.contains { Self.dollars($0) }) }
  }

  /// Returns a line without its string literals.
  private static func withoutLiterals(_ line: Substring) -> Substring {
    var result = ""
    var isInside = false
    var isEscaped = false
    for character in line {
      if isInside {
        if isEscaped {
          isEscaped = false
        } else if character == "\\" {
          isEscaped = true
        } else if character == "\"" {
          isInside = false
        }
      } else if character == "\"" {
        isInside = true
      } else {
        result.append(character)
      }
    }
    return result[...]
  }

  /// Returns whether a line has a dollar sign that Kotlin would take for the beginning of an expression.
  private static func dollars(_ line: Substring) -> Bool {
    let isComment = line.drop { $0 == " " }.hasPrefix("/")
    return !isComment && line.replacing("\\$", with: "").contains("$")
  }

  @Test(arguments: [
    ("photo_access", ["photo", "access"]), ("textSomeone", ["text", "someone"]),
    ("com.clarity.Focus", ["com", "clarity", "focus"]),
    ("HTTP", ["http"]), ("größe", ["gr", "e"]), ("…", ["value"]), ("2fa", ["2fa"]),
  ])
  func `a name is cut into words`(text: String, words: [String]) {
    #expect(Identifier.words(text) == words)
  }

  @Test func `identifiers begin with a letter`() {
    #expect(Identifier.lowerCamel(["2fa", "on"]) == "v2faOn")
    #expect(Identifier.upperCamel(["2fa"]) == "V2fa")
    #expect(Identifier.upperSnake(["2fa", "on"]) == "V2FA_ON")
  }

  @Test(arguments: [("CleanerFlow", true), ("Type", false), ("cleaner", false), ("A B", false), ("", false), ("É", false)])
  func `a type's name is one in every language`(name: String, isName: Bool) {
    #expect(FlowBindings.isTypeName(name) == isName)
  }
}

extension Substring {
  fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
