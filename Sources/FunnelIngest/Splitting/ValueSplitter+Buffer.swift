import FunnelDecoding
import FunnelModel

// The memory of a splitter, which is bounded for values of any length.
extension ValueSplitter {
  /// Removes the bytes before the current value from the buffer, and makes room for the next read.
  mutating func makeRoom() {
    if var open = record {
      shorten(&open)
      record = open
    } else {
      bufferOffset += position
      buffer.moveToFront(position..<count)
      count -= position
      position = 0
    }
    let needed = count + Self.readBytesMax + LineParser.paddingBytes
    if needed > buffer.byteCount { buffer.grow(to: max(needed, 2 * buffer.byteCount), keeping: count) }
  }

  /// Moves the current value to the front of the buffer, and keeps only its beginning if it is too long.
  private mutating func shorten(_ open: inout Record) {
    if open.start > 0 {
      buffer.moveToFront(open.start..<count)
      bufferOffset += open.start
      count -= open.start
      position -= open.start
      open.start = 0
    }
    guard count > Limits.lineBytesMax else { return }
    let kept = Limits.deadLetterRawBytesMax
    let dropped = count - kept
    let lastSign = lastSign(before: count, of: open)
    open.overlong = Overlong(droppedByteCount: (open.overlong?.droppedByteCount ?? 0) + dropped, lastSign: lastSign)
    bufferOffset += dropped
    count = kept
    position = kept
  }

  /// Skips a byte order mark at the start.
  mutating func skipMark() {
    guard isAtStart, count >= Span<UInt8>.byteOrderMarkBytes else { return }
    isAtStart = false
    if buffer.span(0..<count).hasByteOrderMark { position = Span<UInt8>.byteOrderMarkBytes }
  }
}
