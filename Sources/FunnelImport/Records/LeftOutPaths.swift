/// Numbers the paths of values that are left out and that no plan names, such as lists among the properties. A path that was met before
/// costs no allocation. Not to be shared between threads.
final class LeftOutPaths {
  private let numbers = TextNumbers()
  /// The paths by their numbers. The first stands for all that are not kept.
  private var paths = [ImportCounts.otherPaths]
  /// The record in which each path was met last.
  private var records = [0]
  private var record = 0
  private let path = LineBuffer()

  /// The path of a number.
  subscript(number: Int) -> String { paths[number] }

  /// Begins a record, in which each path counts once.
  func beginRecord() { record += 1 }

  /// Returns the number of a path, or nil if the record had it before.
  ///
  /// - Parameters:
  ///   - key: The key of the value, or several joined by dots.
  ///   - container: The path of the object the key is in; empty for the record itself.
  func number(of key: UnsafeRawBufferPointer, in container: String) -> Int? {
    path.removeAll()
    if !container.isEmpty {
      var container = container
      container.withUTF8 { path.append(raw: UnsafeRawBufferPointer($0)) }
      path.append(UInt8(ascii: "."))
    }
    path.append(raw: key)
    let number = knownNumber()
    guard records[number] != record else { return nil }
    records[number] = record
    return number
  }

  private func knownNumber() -> Int {
    if let number = numbers.find(path.bytes) { return number + 1 }
    guard paths.count < ImportCounts.entriesMax else { return 0 }
    _ = numbers.add(path.bytes)
    paths.append(String(decoding: path.bytes, as: UTF8.self))
    records.append(0)
    return paths.count - 1
  }
}
