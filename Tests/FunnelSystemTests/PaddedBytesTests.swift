import FunnelSystem
import Testing

@Suite struct PaddedBytesTests {
  /// The bytes after the contents that a parser may read.
  private func padding(of bytes: PaddedBytes) -> [UInt8] {
    bytes.withPaddedPointer { start, count in (0..<PaddedBytes.paddingBytes).map { start[count + $0] } }
  }

  private func contents(of bytes: PaddedBytes) -> [UInt8] { [UInt8](copying: bytes.span) }

  @Test func `zeros follow the contents after every change`() {
    let bytes = PaddedBytes(capacity: 3)
    var expected: [UInt8] = []
    for count in [0, 1, 2, 3, 500] {
      let added = [UInt8](repeating: UInt8(count % 251 + 1), count: count)
      bytes.append(added.span)
      expected += added
      #expect(contents(of: bytes) == expected)
      #expect(padding(of: bytes).allSatisfy { $0 == 0 })
    }
    bytes.removeFirst(4)
    #expect(contents(of: bytes) == Array(expected[4...]))
    #expect(padding(of: bytes).allSatisfy { $0 == 0 })
    let capacity = bytes.capacity
    bytes.removeAll()
    #expect(bytes.isEmpty && bytes.capacity == capacity)
    #expect(padding(of: bytes).allSatisfy { $0 == 0 })
  }

  @Test func `what a closure wrote before it failed is not appended`() {
    struct Failure: Error {}
    let bytes = PaddedBytes()
    bytes.append([1, 2].span)
    #expect(throws: Failure.self) {
      try bytes.append(addingCapacity: 10) { (output) throws(Failure) in
        output.append(9)
        throw Failure()
      }
    }
    #expect(contents(of: bytes) == [1, 2])
    #expect(padding(of: bytes).allSatisfy { $0 == 0 })
  }
}
