import Foundation
import FunnelModel

// Clients of OpenTelemetry.
extension BatchReader {
  /// Reads logs in the encoding that the content type names.
  func readLogs() throws(CollectRefusal) -> Result {
    let type = request.header("content-type")?.split(separator: ";").first?.trimmingCharacters(in: .whitespaces).lowercased()
    let isProtobuf = type == "application/x-protobuf"
    guard isProtobuf || type == "application/json" else {
      throw CollectRefusal(415, "the content type must be application/x-protobuf or application/json")
    }
    let access = try authorized()
    var batch = ReceivedBatch(.otlp, .native, RecordLines(of: []), answer: .logs(isProtobuf: isProtobuf))
    let resources = try isProtobuf ? protobufLogs() : jsonLogs()
    guard resources.reduce(0, { $0 + $1.records.count }) <= RecordLines.countMax else { throw .tooManyRecords }
    for logs in resources {
      for record in logs.records { batch.records.append(line: LogEvent(record, resource: logs.resource).line) }
    }
    return (batch, access)
  }

  private func protobufLogs() throws(CollectRefusal) -> [ResourceLogs] {
    do throws(ProtobufReader.Malformed) {
      return try ResourceLogs.read(protobuf: request.body.span)
    } catch {
      throw .notABatch("the body is not an ExportLogsServiceRequest in protobuf, or is cut")
    }
  }

  private func jsonLogs() throws(CollectRefusal) -> [ResourceLogs] {
    guard let document = try? JSONDocument(parsing: request.body), let logs = ResourceLogs.read(json: document.root) else {
      throw .notABatch("the body is not an ExportLogsServiceRequest in JSON, or is cut")
    }
    return logs
  }
}
