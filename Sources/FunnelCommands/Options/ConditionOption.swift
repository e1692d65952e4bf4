import FunnelModel
import FunnelSystem

/// The `--where` option: a condition whose values may come from a file.
enum ConditionOption {
  /// Parses a condition.
  ///
  /// `KEY=@FILE` and `KEY!=@FILE` read the values from a file, one per line. A value that starts with `\@` is a literal `@`.
  ///
  /// - Throws: `usage` if the text is not a condition, `noInput` if the file cannot be read, `unusableInput` if
  ///   it has no values.
  static func condition(_ text: String) throws(FunnelError) -> SegmentCondition {
    guard let parts = SegmentCondition.parts(of: text) else { return try read(text, asWritten: text) }
    if parts.value.hasEscapedAt { return try read(parts.head + parts.value.dropFirst(), asWritten: text) }
    guard parts.value.hasPrefix("@"), parts.comparison == .equal || parts.comparison == .notEqual else {
      return try read(text, asWritten: text)
    }
    // Parse the condition with a placeholder value first, to validate the key before the file is read.
    let model = try read(parts.head + "x", asWritten: text)
    let path = String(parts.value.dropFirst())
    return SegmentCondition(
      model.dimension, parts.comparison, anyOf: try values(inFile: path, of: text))
  }

  /// Returns a condition in which a leading `@` of the value is escaped, so that `condition(_:)` does not read a file.
  static func literal(_ text: String) -> String {
    guard let parts = SegmentCondition.parts(of: text), parts.value.hasPrefix("@") || parts.value.hasEscapedAt else {
      return text
    }
    return parts.head + "\\" + parts.value
  }

  /// Parses a condition without support for files.
  ///
  /// - Parameter written: The condition as the user wrote it, for the error.
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
  /// Whether the text starts with one or more backslashes and then an `@`.
  fileprivate var hasEscapedAt: Bool {
    let remainder = drop { $0 == "\\" }
    return remainder.count < count && remainder.hasPrefix("@")
  }
}
