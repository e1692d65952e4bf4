/// A copy of a text at a fixed address, followed by ``LineParser/paddingBytes`` zeros.
final class PaddedCopy {
  private let memory: UnsafeMutableRawBufferPointer
  /// The text, valid for the lifetime of the copy.
  let view: UnsafeRawBufferPointer

  init(_ text: some Collection<UInt8>) {
    memory = .allocate(byteCount: text.count + LineParser.paddingBytes, alignment: 8)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    memory.copyBytes(from: text)
    view = UnsafeRawBufferPointer(start: memory.baseAddress, count: text.count)
    assert(memory.count - view.count == LineParser.paddingBytes, "the padding follows the text")
  }

  deinit { memory.deallocate() }
}
