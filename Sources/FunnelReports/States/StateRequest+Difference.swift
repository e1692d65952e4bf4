import FunnelModel

extension StateRequest {
  /// Returns the first difference between two requests, as a clause about the other one, or `nil` if they are equal.
  func difference(from other: StateRequest) -> String? {
    guard self != other else { return nil }
    for option in StateOption.allCases {
      let own = values(of: option)
      let others = other.values(of: option)
      guard own != others else { continue }
      return "\(option.rawValue) is \(Self.text(others)), not \(Self.text(own))"
    }
    if let difference = definitionDifference(from: other) { return difference }
    return "it has the reports \(other.reports.joined(separator: ", ")), not \(reports.joined(separator: ", "))"
  }

  private static func text(_ values: [String]) -> String {
    values.isEmpty ? "left out" : values.map(\.printable).joined(separator: " and ")
  }

  /// Returns the first difference between the definitions of two requests, as a clause about the other one, or
  /// `nil` if they are equal.
  public func definitionDifference(from other: StateRequest) -> String? {
    guard definitions != other.definitions else { return nil }
    let own = filesByReference
    let others = other.filesByReference
    for reference in Set(own.keys).union(others.keys).sorted() where own[reference] != others[reference] {
      if own[reference] == nil { return "it also has the flow \(reference)" }
      return others[reference] == nil ? "it does not have the flow \(reference)" : "its definition of \(reference) differs"
    }
    return "its flow definitions differ"
  }

  private var filesByReference: [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for bytes in definitions {
      guard let file = try? FlowFile(json: bytes, name: "") else { continue }
      files[file.definition.reference] = bytes
    }
    return files
  }
}
