import FunnelModel
import FunnelSystem

/// The `--where` option: a condition, whose values may be in a file.
enum ConditionOption {
  /// Returns the condition of a text. `KEY=@FILE` and `KEY!=@FILE` take the values from a file, one a line; `\\@` in front of a value is an
  /// `@` of its own.
  ///
  /// - Throws: `usage` if the text is no condition, `noInput` if the file can't be read, `unusableInput` if it lists nothing.
  static func condition(_ text: String) throws(FunnelError) -> SegmentCondition {
    guard let parts = SegmentCondition.parts(of: text) else { return try read(text, asWritten: text) }
    if parts.value.hasEscapedAt { return try read(parts.head + parts.value.dropFirst(), asWritten: text) }
    guard parts.value.hasPrefix("@"), parts.comparison == .equal || parts.comparison == .notEqual else {
      return try read(text, asWritten: text)
    }
    // The same text with a value of its own says whether the key is one.
    let model = try read(parts.head + "x", asWritten: text)
    let path = String(parts.value.dropFirst())
    return SegmentCondition(
      model.dimension, parts.comparison, anyOf: try values(inFile: path, of: text))
  }

  /// Returns a condition as the command line takes it if its value is meant as it stands, never as the name of a file.
  static func literal(_ text: String) -> String {
    guard let parts = SegmentCondition.parts(of: text), parts.value.hasPrefix("@") || parts.value.hasEscapedAt else {
      return text
    }
    return parts.head + "\\" + parts.value
  }

  private static func read(_ text: String, asWritten written: String) throws(FunnelError) -> SegmentCondition {
    do throws(SegmentCondition.Problem) {
      return try SegmentCondition(reading: text)
    } catch {
      throw FunnelError(.usage, "\(error.what), --where \(written.printable), \(error.remedy)")
    }
  }

  private static func values(inFile path: String, of text: String) throws(FunnelError) -> [String] {
    guard !path.isEmpty else {
      throw FunnelError(.usage, "no file name after @, --where \(text.printable), name a file with one value per line")
    }
    let bytes: [UInt8]
    do throws(FunnelError) {
      bytes = try LocalFileSystem().readAll(StoragePath(path), bytesMax: Limits.valueListBytesMax)
    } catch {
      throw FunnelError(.noInput, "\(error.message), --where \(text.printable)")
    }
    let values = ValueList.lines(of: String(decoding: bytes, as: UTF8.self))
    guard !values.isEmpty else {
      throw FunnelError(
        .unusableInput,
        "\(path.printable) has no values, --where \(text.printable), write one per line, or leave the condition out")
    }
    return values
  }
}

extension String {
  /// Whether the text begins with an `@` behind one or more backslashes.
  fileprivate var hasEscapedAt: Bool {
    let rest = drop { $0 == "\\" }
    return rest.count < count && rest.hasPrefix("@")
  }
}
