import FunnelModel

/// The app that a native record names itself. The app of its key replaces it, in dead letters too, because a retry would believe the record.
enum ClaimedApp {
  private static let key = "app"

  /// Returns a record, which is JSON, with another app as its member `app`, if it has one.
  static func replaced(in record: [UInt8], by app: String) -> [UInt8] {
    guard let outline = JSONOutline(record.span), case .object(let members) = outline.root,
      let value = members.first(where: { isKey(record[$0.key]) })?.value
    else { return record }
    var replaced = Array(record[..<value.lowerBound])
    replaced.appendJSONString(app)
    return replaced + record[value.upperBound...]
  }

  /// Whether the text between the quotes of a member's key, which may have escapes, is the key.
  private static func isKey(_ text: ArraySlice<UInt8>) -> Bool {
    if text.elementsEqual(key.utf8) { return true }
    guard text.contains(UInt8(ascii: "\\")) else { return false }
    let quote = [UInt8(ascii: "\"")]
    return (try? JSONDocument(parsing: quote + text + quote))?.root.string == key
  }
}
