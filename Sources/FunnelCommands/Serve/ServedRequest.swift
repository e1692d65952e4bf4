import FunnelModel
import FunnelReports

/// What a request asks: options of `funnel report` as parameters of a URL.
struct ServedRequest: Sendable {
  /// The options in their order, names as on the command line without dashes. A flag has no value.
  private(set) var options: [(name: String, value: String?)] = []

  /// The options that say what is asked. Those about stores, files and formats are the server's.
  private static let valued: Set<String> = [
    "since", "until", "now", "as-of", "tz", "window", "order", "anchor", "attribution", "count-by", "where", "flow", "by",
    "every",
    "steps", "exclude", "after",
    "app",
  ]
  private static let flags: Set<String> = ["mature", "internal"]

  /// Reads the parameters of a request. One without a value is as if not given.
  ///
  /// - Throws: `usage` if one is not known.
  init(_ parameters: [(name: String, value: String?)]) throws(FunnelError) {
    for (name, value) in parameters {
      if Self.flags.contains(name) {
        switch value {
        case nil, "true"?: options.append((name, nil))
        case ""?: break
        case let value?: throw FunnelError(.usage, "not a value, \(name)=\(value.printable), write \(name) or \(name)=true")
        }
      } else {
        guard Self.valued.contains(name) else {
          let hint = NearestName.find(name, in: Self.valued.union(Self.flags).sorted()).map { "did you mean '\($0)'?" }
          throw FunnelError(.usage, "Unknown option '--\(name.printable)', \(hint ?? "see 'funnel report --help'")")
        }
        guard let value else { throw FunnelError(.usage, "Missing value for '--\(name)', write \(name)=VALUE") }
        if !value.isEmpty { options.append((name, value)) }
      }
    }
  }

  /// Returns the values of an option.
  func values(of name: String) -> [String] { options.filter { $0.name == name }.map { $0.value ?? "true" } }

  /// Returns the question with another option.
  func adding(_ name: String, _ value: String) -> ServedRequest {
    var question = self
    question.options.append((name, value))
    return question
  }

  /// Returns the question without some options.
  func without(_ names: Set<String>) -> ServedRequest {
    var question = self
    question.options.removeAll { names.contains($0.name) }
    return question
  }

  /// Returns the question without naming a flow, if it names only this one.
  func without(ofFlow flow: FlowReference) -> ServedRequest {
    values(of: "flow").allSatisfy { FlowReference($0) == flow } ? without(["flow"]) : self
  }

  /// The question about one flow.
  static func ofFlow(_ flow: FlowReference) -> ServedRequest {
    var question = ServedRequest()
    question.options.append(("flow", "\(flow)"))
    return question
  }

  /// Returns the question with all options of another one.
  func appending(_ other: ServedRequest) -> ServedRequest {
    var question = self
    question.options += other.options
    return question
  }

  /// The options as a person types them.
  var words: [String] {
    options.flatMap { option in ["--\(option.name)"] + (option.value.map { [Self.typed($0, of: option.name)] } ?? []) }
  }

  /// Returns a value as the command line takes it: there a condition may name a file, in an address never.
  private static func typed(_ value: String, of name: String) -> String {
    name == "where" ? ConditionOption.literal(value) : value
  }

  private init() {}

  /// The arguments of `funnel report`. A value is joined to its name, so none is taken for an option.
  var arguments: [String] {
    options.map { option in option.value.map { "--\(option.name)=\(Self.typed($0, of: option.name))" } ?? "--\(option.name)" }
  }

  /// The question as the query of a URL, with its question mark; empty if there is nothing to ask.
  var query: String {
    let pairs = options.map { "\($0.name)=\(Self.escaped($0.value ?? "true"))" }
    return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
  }

  /// Returns a text with all bytes escaped but those that URLs leave as they are (RFC 3986, 2.3), and slashes and signs of flows.
  static func escaped(_ text: String) -> String {
    text.utf8.reduce(into: "") { result, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        if "-._~/@:,".utf8.contains(byte) {
          result.unicodeScalars.append(Unicode.Scalar(byte))
        } else {
          let digits = String(byte, radix: 16, uppercase: true)
          result += "%" + (digits.utf8.count == 1 ? "0" : "") + digits
        }
      }
    }
  }
}
