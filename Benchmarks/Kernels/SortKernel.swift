import FunnelDecoding
import FunnelIndex
import FunnelIngest
import FunnelSequences
import FunnelModel
import FunnelSchemas

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Sorts the events of a file by subject.
public struct SortKernel: ~Copyable {
  private let path: String
  private let byteCount: Int

  /// Creates a kernel and writes its log to a temporary file.
  public init() {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(folder)/funnel-kernel-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    let lines = SampleLog.lines(byteCount: 8 << 20)
    precondition(
      descriptor >= 0 && lines.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } == lines.count,
      "the sample log can't be written to \(folder)")
    close(descriptor)
    byteCount = lines.count
    path = template.withUnsafeBufferPointer { String(decoding: $0.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self) }
  }

  deinit { unlink(path) }

  /// Reads the file, and passes the sorting of all its sequences to `measure`.
  ///
  /// - Returns: The number of sequences.
  public func sort(measuring measure: (() -> Void) -> Void) throws -> Int {
    let options = DecodingOptions(now: SampleLog.now, privacy: BuiltInSchemas.privacy)
    let files = [InputFile(path: path, byteCount: byteCount)]
    let (count, _) = try SequenceTable.withSequences(
      of: .files(files, options: options, threads: 1), catalog: SampleLog.catalog, query: ReportQuery(now: SampleLog.now),
      flows: Set(SampleLog.catalog.definitions.indices), progress: { _ in }
    ) { (table) throws(FunnelError) in
      var sequences = 0
      measure {
        for partition in 0..<table.partitionCount { try? table.forEachSequence(inPartition: partition) { _ in sequences += 1 } }
      }
      return sequences
    }
    return count
  }
}
