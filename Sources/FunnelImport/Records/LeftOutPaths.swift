/// Assigns a number to each path whose value is left out although the import plan does not name it, such as a list among
/// the properties.
///
/// A lookup of a known path does not allocate. Not thread-safe: each worker owns one.
final class LeftOutPaths {
  private let numbers = TextNumbers()
  /// The paths by their numbers. Number 0 collects all paths beyond the maximum.
  private var paths = [ImportCounts.otherPaths]
  /// The last record that had each path, by the numbers of the paths.
  private var lastRecords = [0]
  /// The number of the current record, from 1.
  private var record = 0
  /// The path that is looked up, reused to avoid allocations.
  private let path = LineBuffer()

  /// Returns the path with a number.
  subscript(number: Int) -> String { paths[number] }

  /// Starts the next record. Each path counts once a record.
  func beginRecord() { record += 1 }

  /// Returns the number of a path, or `nil` if the path was counted for the current record already.
  ///
  /// - Parameters:
  ///   - key: The key of the value, or several keys joined by dots.
  ///   - container: The path of the object that contains the key, or an empty string for the record itself.
  func number(of key: UnsafeRawBufferPointer, in container: String) -> Int? {
    path.removeAll()
    if !container.isEmpty {
      var container = container
      container.withUTF8 { path.append(raw: UnsafeRawBufferPointer($0)) }
      path.append(UInt8(ascii: "."))
    }
    path.append(raw: key)
    let number = numberOfPath()
    guard lastRecords[number] != record else { return nil }
    lastRecords[number] = record
    return number
  }

  /// Returns the number of ``path``, which is added if it is new.
  private func numberOfPath() -> Int {
    // The numbers of the texts begin at 0, which is taken by the other paths.
    if let number = numbers.find(path.bytes) { return number + 1 }
    guard paths.count < ImportCounts.entriesMax else { return 0 }
    _ = numbers.add(path.bytes)
    paths.append(String(decoding: path.bytes, as: UTF8.self))
    lastRecords.append(0)
    return paths.count - 1
  }
}
