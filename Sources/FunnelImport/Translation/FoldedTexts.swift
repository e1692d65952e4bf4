/// The native forms of texts such as ids of steps, each folded once. Not to be shared between threads.
final class FoldedTexts {
  private let numbers = TextNumbers()
  private var folded: [[UInt8]] = []

  /// The number of texts that are remembered; the memory is cleared when there are more.
  private static let countMax = 4096

  /// Returns the native form of a text.
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
