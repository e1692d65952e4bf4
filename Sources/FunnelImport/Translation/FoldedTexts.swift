/// A cache of the native forms of texts such as step IDs. Not thread-safe: each worker owns one.
final class FoldedTexts {
  private let numbers = TextNumbers()
  /// The native forms, by the numbers of the texts.
  private var folded: [[UInt8]] = []

  /// The maximum number of cached texts. A further text clears the cache.
  private static let countMax = 4096

  /// Returns the native form of a text (see ``NameFolding``).
  func form(of text: UnsafeRawBufferPointer) -> [UInt8] {
    if let number = numbers.find(text) { return folded[number] }
    if folded.count == Self.countMax {
      folded.removeAll()
      numbers.removeAll()
    }
    let form = NameFolding.fold(text)
    _ = numbers.add(text)
    folded.append(form)
    return form
  }
}
