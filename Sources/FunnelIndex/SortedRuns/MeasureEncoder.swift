internal import FunnelModel

/// An encoder for the section `measures` of a partition: the numbers of each measured property, in the order of
/// the events.
///
/// The encoding of each property, in the order of the entries in the dictionary (``IndexFormat``):
///
/// - a header: the count of numbers, 8 bytes; the width of a number in bytes (1, 2, 4 or 8), 4 bytes; 1 if some
///   numbers are doubles and 0 otherwise, 4 bytes; the smallest number or, if some are doubles, 0, 8 bytes;
/// - if some are doubles: a bit for each number, set if it is a double, padded to a multiple of 8 bytes;
/// - the numbers: each as its difference from the smallest or, if some are doubles, as its 64 bits, padded to a
///   multiple of 8 bytes.
struct MeasureEncoder: ~Copyable {
  /// The length of a property's header.
  static let headerBytes = 24

  // Not private: in debug builds the compiler (6.3) crashes for a private type in a container that another file destroys.
  /// The numbers of one property.
  struct Column: ~Copyable {
    /// The bits of each integer or double.
    var words = UniqueArray<UInt64>(capacity: 1024)
    /// A bit for each number, set if it is a double.
    var doubles = BitArray()
    var hasDoubles = false

    /// The smallest and the largest number, all of which must be integers; `nil` if there are no numbers.
    var bounds: (smallest: Int64, largest: Int64)? {
      guard words.count > 0 else { return nil }
      assert(!hasDoubles, "the bits of doubles are not ordered like integers")
      var smallest = Int64.max
      var largest = Int64.min
      for index in 0..<words.count {
        let integer = Int64(bitPattern: words[index])
        smallest = min(smallest, integer)
        largest = max(largest, integer)
      }
      return (smallest, largest)
    }

    @inline(__always)
    mutating func append(_ number: MeasuredNumber) {
      if number.isDouble {
        doubles.insert(words.count)
        hasDoubles = true
      }
      words.append(number.bits)
    }

    /// Appends the encoded column.
    func write(to bytes: inout UniqueBytes) {
      let bounds = hasDoubles ? nil : bounds
      let smallest = bounds?.smallest ?? 0
      // The wrapped difference is exact as an unsigned number, even if it is too large for a signed one.
      let range = bounds.map { UInt64(bitPattern: $0.largest &- $0.smallest) } ?? 0
      let width = hasDoubles ? NumberWidth.eight : NumberWidth(for: range)
      bytes.append(number: UInt64(words.count))
      bytes.append(number: UInt32(width.rawValue))
      bytes.append(number: UInt32(hasDoubles ? 1 : 0))
      bytes.append(number: smallest)
      if hasDoubles {
        bytes.append(numbers: doubles.elements)
        // The array ends with the last double.
        for _ in doubles.elements.count..<BitArray.wordCount(ofBits: words.count) { bytes.append(number: UInt64(0)) }
      }
      bytes.append(words.elements, minus: UInt64(bitPattern: smallest), width: width)
      bytes.pad(to: IndexFormat.alignment)
    }
  }

  private var columns: FixedArray<Column>
  /// Whether no event has a measured property so far.
  private var isEmpty = true

  /// Creates an encoder.
  ///
  /// - Parameter count: The number of measured properties.
  init(count: Int) {
    columns = FixedArray(count: count) { _ in Column() }
  }

  /// Appends the number of the next event that has a property.
  @inline(__always)
  mutating func append(_ number: MeasuredNumber, of measure: UInt32) {
    precondition(measure < columns.count, "a run has a column for each of its measures")
    isEmpty = false
    columns[Int(measure)].append(number)
  }

  /// Appends the encoded section, or nothing if no event has a measured property.
  func write(to bytes: inout UniqueBytes) {
    guard !isEmpty else { return }
    for column in 0..<columns.count { columns[column].write(to: &bytes) }
  }
}
