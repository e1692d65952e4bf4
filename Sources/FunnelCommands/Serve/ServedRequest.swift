import FunnelModel

/// The options of a command that an HTTP request gives as URL parameters.
struct ServedRequest: Sendable {
  /// What a request asks for. Each has the options of another command.
  enum Kind: Sendable {
    /// Reports: the options of `funnel report`.
    case reports
    /// A comparison: the options of `funnel compare`.
    case comparison
    /// The people behind a number: the options of `funnel groups`, with its state as an option.
    case people
    /// The events of a person or a subject: the options of `funnel trace`.
    case trace

    /// The options with values, besides those of every kind.
    fileprivate var valued: Set<String> {
      switch self {
      case .reports:
        [
          "attribution", "where", "by", "every", "steps", "exclude", "after", "before", "goal", "of", "keys", "depth",
          "min-groups",
          "periods", "from", "return", "app", "since", "until", "anchor",
        ]
      case .comparison:
        Set(["attribution", "where", "by", "steps", "exclude", "app", "since", "until", "anchor"])
          .union(namesOfComparison).subtracting(["open-too", "drop-mixed"])
      case .people:
        Set(["attribution", "where", "by", "steps", "exclude", "app", "since", "until", "anchor"]).union(namesOfPeople)
      case .trace: ["subject", "person"]
      }
    }

    fileprivate var flags: Set<String> {
      switch self {
      case .reports, .people: ["mature", "internal"]
      case .comparison: ["internal", "open-too", "drop-mixed"]
      case .trace: []
      }
    }

    /// The command whose help lists the options.
    fileprivate var command: String {
      switch self {
      case .reports: "report"
      case .comparison: "compare"
      case .people: "groups"
      case .trace: "trace"
      }
    }
  }

  /// The options that select people, and the first of them to show.
  static let namesOfPeople: Set<String> = [
    "state", "step", "permission", "outcome", "breach", "start", "period", "cohort", "every", "from", "return",
  ]
  /// The options of comparisons alone.
  static let namesOfComparison: Set<String> = [
    "sides", "versions", "versus", "metric", "detect", "stratify", "ratio", "open-too", "drop-mixed",
  ]
  /// The options that a request of every kind may have.
  static let commonNames: Set<String> = ["now", "as-of", "tz", "window", "order", "count-by", "merge-limit", "flow"]

  /// The options in order, with names as on the command line without dashes. The value of a flag is `nil`.
  private(set) var options: [(name: String, value: String?)] = []

  /// Parses the parameters of a request. Ignores those with an empty value.
  ///
  /// Options for stores, files and formats are unknown, because the server sets them.
  ///
  /// - Throws: `usage` if a parameter is unknown, or its value is missing or not valid.
  init(_ parameters: [(name: String, value: String?)], for kind: Kind = .reports) throws(FunnelError) {
    let valued = Self.commonNames.union(kind.valued)
    for (name, value) in parameters {
      if kind.flags.contains(name) {
        switch value {
        case nil, "true"?: options.append((name, nil))
        case ""?: break
        case let value?: throw FunnelError(.usage, "not a value, \(name)=\(value.printable), write \(name) or \(name)=true")
        }
      } else {
        guard valued.contains(name) else {
          let hint = NearestName.find(name, in: valued.union(kind.flags).sorted()).map { "did you mean '\($0)'?" }
          throw FunnelError(
            .usage, "Unknown option '--\(name.printable)', \(hint ?? "see 'funnel \(kind.command) --help'")")
        }
        guard let value else { throw FunnelError(.usage, "Missing value for '--\(name)', write \(name)=VALUE") }
        if !value.isEmpty { options.append((name, value)) }
      }
    }
  }

  /// Returns all values of an option, in order. The value of a flag is `true`.
  func values(of name: String) -> [String] { options.filter { $0.name == name }.map { $0.value ?? "true" } }

  /// Returns the request with an additional option.
  func adding(_ name: String, _ value: String) -> ServedRequest {
    var request = self
    request.options.append((name, value))
    return request
  }

  /// Returns the request without some options.
  func without(_ names: Set<String>) -> ServedRequest {
    var request = self
    request.options.removeAll { names.contains($0.name) }
    return request
  }

  /// Returns the request with some of its options alone.
  func only(_ names: Set<String>) -> ServedRequest {
    var request = self
    request.options.removeAll { !names.contains($0.name) }
    return request
  }

  /// The request with the depth of a page of paths as the option of the report `next`.
  var ofPaths: ServedRequest {
    var request = self
    request.options = options.map { $0.name == "depth" ? ("steps", $0.value) : $0 }
    return request
  }

  /// Returns the request without the option `flow` if it names only a given flow, otherwise unchanged.
  func without(ofFlow flow: FlowReference) -> ServedRequest {
    values(of: "flow").allSatisfy { FlowReference($0) == flow } ? without(["flow"]) : self
  }

  /// Returns a request for one flow without other options.
  static func ofFlow(_ flow: FlowReference) -> ServedRequest {
    var request = ServedRequest()
    request.options.append(("flow", "\(flow)"))
    return request
  }

  /// Returns the request with the options of another one appended.
  func appending(_ other: ServedRequest) -> ServedRequest {
    var request = self
    request.options += other.options
    return request
  }

  /// The options as separate words of a command line, for display.
  var words: [String] {
    options.flatMap { option in ["--\(option.name)"] + (option.value.map { [Self.typed($0, of: option.name)] } ?? []) }
  }

  /// Returns a value in the syntax of the command line. There, a condition may name a file, which is not
  /// allowed in a URL.
  private static func typed(_ value: String, of name: String) -> String {
    name == "where" ? ConditionOption.literal(value) : value
  }

  private init() {}

  /// The options as arguments of `funnel report`. Each value is joined to its name, so that it cannot be parsed as an option.
  var arguments: [String] {
    options.map { option in option.value.map { "--\(option.name)=\(Self.typed($0, of: option.name))" } ?? "--\(option.name)" }
  }

  /// The options as the query of a URL with its request mark, or an empty string if there are none.
  var query: String {
    let pairs = options.map { "\($0.name)=\(Self.escaped($0.value ?? "true"))" }
    return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
  }

  /// Returns a percent-encoded text. Unreserved characters (RFC 3986, 2.3) and `/@:,` are not encoded.
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
