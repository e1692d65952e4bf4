import FunnelModel

// Amplitude's clients.
extension BatchReader {
  func readAmplitude() throws(CollectRefusal) -> Result { try readAmplitude(BodyText(request.body.span)) }

  func readAmplitude(_ body: borrowing BodyText) throws(CollectRefusal) -> Result {
    let access = try authorized([body.string("api_key")])
    guard let records = try body.elements("events") else { throw .notABatch("the body has no array named events") }
    var batch = ReceivedBatch(
      .amplitude, .amplitude, RecordLines(of: request.body), answer: .amplitude(byteCount: request.body.count))
    let members = members(["client_upload_time"], of: body).bytes
    for record in records { batch.records.append(record, adding: members) }
    return (batch, access)
  }
}
