import Crypto
import FunnelModel
import FunnelStorage

/// Verifies one part, member by member.
struct PartVerification {
  typealias Finding = StoreVerification.Finding

  let part: CoveredPart
  let files: StoreFiles

  /// What is wrong with the part; `done` is told of bytes as they are read.
  func run(_ done: (_ bytes: Int) -> Void) throws(FunnelError) -> [Finding] {
    if let shortage = try files.shortage(of: part) {
      done(part.bytes)
      return [finding(nil, shortage)]
    }
    let file = try files.fileSystem.open(files.path(of: part.name), for: .read)
    var findings: [Finding] = []
    for piece in part.extents { try verify(piece.extent, in: file, &findings, done) }
    return findings
  }

  private func verify(
    _ extent: Extent, in file: File, _ findings: inout [Finding], _ done: (Int) -> Void
  ) throws(FunnelError) {
    let end = extent.offset + extent.bytes
    var digest = SHA256()
    var offset = extent.offset
    var (records, rawBytes) = (0, 0)
    let knownFindings = findings.count
    while offset < end {
      guard let length = try memberBytes(at: offset, end, file) else {
        // There is no telling where the next member begins.
        findings.append(
          finding(offset, "a member's header is damaged; the \(end - offset) bytes from here could not be verified"))
        done(end - offset)
        return
      }
      let bytes = try files.fileSystem.read(file, at: offset, count: length)
      digest.update(data: bytes)
      let (lines, raw, reason) = check(bytes)
      if let reason { findings.append(finding(offset, reason)) }
      (records, rawBytes, offset) = (records + lines, rawBytes + raw, offset + length)
      done(length)
    }
    // One sentence about one flaw: what is wrong with a member makes the extent's hash wrong too.
    guard findings.count == knownFindings else { return }
    if digest.finalize().hexadecimal != extent.sha256 {
      findings.append(finding(extent.offset, "the hash of the \(extent.bytes) bytes from here does not match the journal"))
    } else if records != extent.records || rawBytes != extent.rawBytes {
      findings.append(finding(extent.offset, "the number of lines or their length does not match the journal"))
    }
  }

  /// The length of the member that begins at an offset, or nil where its header is damaged or it does not end before `end`.
  private func memberBytes(at offset: Int, _ end: Int, _ file: File) throws(FunnelError) -> Int? {
    let bytes = try files.fileSystem.read(file, at: offset, count: GzipMember.headerBytes)
    guard let header = bytes.withUnsafeBytes({ try? GzipMember.header(of: $0) }), header.memberBytes <= end - offset else {
      return nil
    }
    return header.memberBytes
  }

  private func check(_ member: [UInt8]) -> (lines: Int, rawBytes: Int, reason: String?) {
    let result = member.withUnsafeBytes { buffer in
      Result { () throws(GzipMember.Damage) in (try GzipMember.header(of: buffer), try GzipMember.decode(buffer)) }
    }
    switch result {
    case .failure(let damage): return (0, 0, damage.reason)
    case .success((let header, let raw)):
      let lines = raw.reduce(0) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
      return (lines, raw.count, complaint(about: header, lines: lines, last: raw.last))
    }
  }

  private func complaint(about header: GzipMember.Header, lines: Int, last: UInt8?) -> String? {
    if header.lines != lines { return "a member has \(lines) lines and its header says \(header.lines)" }
    if last != UInt8(ascii: "\n") { return "a member's last line has no end" }
    let (first, last) = (header.timestamps.lowerBound, header.timestamps.upperBound)
    if part.name.area == .log, first.day != part.name.day || last.day != part.name.day {
      return "a member has events from \(first) to \(last), which do not belong to this day"
    }
    return nil
  }

  private func finding(_ offset: Int?, _ reason: String) -> Finding {
    Finding(path: files.path(of: part.name).description, offset: offset, reason: reason)
  }
}
